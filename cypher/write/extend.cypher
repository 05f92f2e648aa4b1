// Continues the chain of one subject by events that lead to no facts: those of an erasure. Gives no row, and writes
// nothing, where the chain no longer ends as the writer saw it.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $previous_seq: sequence of the event before the first
// param $previous_hash: its hash
// param $arriving: what an import brings that writes this; empty for everybody else, who waits until it has ended
// param $head: properties of the subject that describe the new end
// param $events: for each event its `place` among them and `event`, everything it holds
// param $entries: for each event the `place` and `leaf` of its entry in the log
// param $weight: what the entries add to the sum of the log
// returns: subject_uid, hashes
MATCH (subject:Entity {uid: $subject_uid, space: $space})
WHERE coalesce(subject.chain_seq, 0) = $previous_seq
  AND coalesce(subject.chain_hash, '') = $previous_hash
  AND coalesce(subject.arriving, '') = $arriving
SET subject += $head
WITH subject, coalesce(subject.log_size, 0) AS logged
SET subject.log_size = logged + size($entries)
SET subject.log_sum = (coalesce(subject.log_sum, 0) + $weight) % 2305843009213693952
FOREACH (row IN $entries |
  CREATE (entry:Entry {space: $space, log: subject.log_id, seq: logged + row.place, leaf: row.leaf, ends: []})
)
WITH subject, logged
UNWIND $events AS row
CREATE (event:FactEvent)
SET event = row.event
SET event.entry = logged + row.place
CREATE (event)-[about:ABOUT]->(subject)
SET about.space = $space
RETURN subject.uid AS subject_uid, collect(event.hash) AS hashes
