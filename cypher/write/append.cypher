// Continues the chain of one subject: events, the facts of one relation that they lead to, and how far their utterance
// got. Gives one row, with what the ledger then holds; or none, and writes nothing, where the chain no longer ends as
// the writer saw it, where one of the facts stands newer than the writer saw it, where the subject or the utterance is
// unknown, or where a person settled the utterance otherwise first.
//
// The first SET changes nothing: Neo4j locks the subject with it, so that what follows is read when other writers are
// done. Whoever reads a chain without that may see a new end before the newest events of a fact. An object that exists
// keeps its names.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $previous_seq: sequence of the event before the first
// param $previous_hash: its hash
// param $previous_held: how many facts the writer saw along each relation
// param $arriving: what an import brings that writes this; empty for everybody else, who waits until it has ended
// param $head: properties of the subject that describe the new end
// param $events: for each event its `place` among them and `event`, everything it holds
// param $episode_id: id of the utterance; empty if none caused the events
// param $settled: its status, language and sentences for review
// param $by: the person who settles the utterance; empty for a reader
// param $because: that person's reason
// param $at: when that was; 0 for a reader
// param $awaits: what the relationship to an open utterance holds, in a list; an empty list for a settled one
// param $rows: for each fact `object` and `fact`, everything the node and the relationship hold
// param $entries: for each event the `place` and `leaf` of its entry in the log
// param $standing: digest of $settled for the log
// param $weight: what all of that adds to the sum of the log
// param $seen: fact id to the sequence of its newest event that the writer saw
// name FACT: the relation
// name KNOWN: the relations of all facts that the events touch
// name KIND: labels of the objects' type
// returns: hashes, written
MATCH (subject:Entity {uid: $subject_uid, space: $space})
SET subject.space = $space
WITH subject
OPTIONAL MATCH (settled:Episode {space: $space, id: $episode_id})
OPTIONAL MATCH (subject)-[newer:KNOWN]->(:Entity)
WHERE newer.last_seq > $seen[newer.fact_id]
WITH subject, settled, count(newer) AS unseen
WHERE unseen = 0
  AND coalesce(subject.chain_seq, 0) = $previous_seq
  AND coalesce(subject.chain_hash, '') = $previous_hash
  AND coalesce(subject.arriving, '') = $arriving
  AND coalesce(subject.held, '') = $previous_held
  AND (settled IS NOT NULL OR $episode_id = '')
  AND (coalesce(settled.settled_by, '') = ''
    OR (settled.settled_by = $by AND coalesce(settled.settled_because, '') = $because AND coalesce(settled.settled_at, 0) = $at))
SET subject += $head
WITH subject, settled, coalesce(subject.log_size, 0) AS logged
SET subject.log_size = logged + size($entries) + CASE WHEN settled IS NULL THEN 0 ELSE 1 END
SET subject.log_sum = (coalesce(subject.log_sum, 0) + $weight) % 2305843009213693952
FOREACH (row IN $entries |
  CREATE (entry:Entry {space: $space, log: subject.log_id, seq: logged + row.place, leaf: row.leaf, ends: []})
)
FOREACH (found IN CASE WHEN settled IS NULL THEN [] ELSE [settled] END |
  CREATE (entry:Entry {space: $space, log: subject.log_id, seq: logged + size($entries) + 1, leaf: $standing, ends: [former IN [coalesce(found.settled_entry, 0)] WHERE former > 0]})
  SET found += $settled
  SET found.settled_entry = logged + size($entries) + 1
)
WITH subject, settled, logged
OPTIONAL MATCH (subject)-[awaits:AWAITS]->(awaited:Episode {space: $space, id: $episode_id})
SET subject.awaiting = coalesce(subject.awaiting, 0) + size($awaits) - CASE WHEN awaits IS NULL THEN 0 ELSE 1 END
FOREACH (ended IN CASE WHEN awaits IS NULL OR size($awaits) > 0 THEN [] ELSE [awaits] END |
  DELETE ended
)
FOREACH (open IN CASE WHEN awaits IS NULL THEN $awaits ELSE [] END |
  CREATE (subject)-[again:AWAITS]->(settled)
  SET again = open
)
WITH subject, logged
UNWIND $events AS row
OPTIONAL MATCH (episode:Episode {space: $space, id: row.event.episode_id})
CREATE (event:FactEvent)
SET event = row.event
SET event.entry = logged + row.place
CREATE (event)-[:ABOUT {space: $space}]->(subject)
FOREACH (evidence IN CASE WHEN episode IS NULL THEN [] ELSE [episode] END |
  CREATE (event)-[:EVIDENCED_BY {space: $space}]->(evidence)
)
WITH subject, collect(event.hash) AS hashes
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {uid: row.object.uid})
FOREACH (missing IN CASE WHEN known IS NULL THEN [row.object] ELSE [] END |
  CREATE (new:Entity:KIND)
  SET new = missing
)
WITH subject, hashes, row
MATCH (object:Entity {uid: row.object.uid})
MERGE (subject)-[fact:FACT {fact_id: row.fact.fact_id}]->(object)
SET fact = row.fact
RETURN hashes AS hashes, count(fact) AS written
