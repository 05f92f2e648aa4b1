// Continues the chain of one subject by events that lead to no facts: those of an erasure. Gives no row, and writes
// nothing, where the chain no longer ends as the writer saw it.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $previous_seq: sequence of the event before the first
// param $previous_hash: its hash
// param $head: properties of the subject that describe the new end
// param $events: everything each event holds, by sequence
// returns: subject_uid, appended
MATCH (subject:Entity {uid: $subject_uid, space: $space})
WHERE coalesce(subject.chain_seq, 0) = $previous_seq
  AND coalesce(subject.chain_hash, '') = $previous_hash
SET subject += $head
WITH subject
UNWIND $events AS row
CREATE (event:FactEvent)
SET event = row
CREATE (event)-[about:ABOUT]->(subject)
SET about.space = $space
RETURN subject.uid AS subject_uid, count(event) AS appended
