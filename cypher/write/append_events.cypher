// Continues the chain of one subject, if it still ends where the writer saw it end; gives the number of events, or 0.
//
// Of two writers that both saw the same end, one fails on the unique chain_key.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $previous_seq: sequence of the event before the first
// param $previous_hash: its hash
// param $head: properties of the subject that describe the new end
// param $events: everything each event holds, by sequence
// returns: appended
MATCH (subject:Entity {uid: $subject_uid, space: $space})
WHERE coalesce(subject.chain_seq, 0) = $previous_seq
  AND coalesce(subject.chain_hash, '') = $previous_hash
SET subject += $head
WITH subject
UNWIND $events AS row
OPTIONAL MATCH (episode:Episode {space: $space, id: row.episode_id})
CREATE (event:FactEvent)
SET event = row
CREATE (event)-[:ABOUT {space: $space}]->(subject)
FOREACH (evidence IN CASE WHEN episode IS NULL THEN [] ELSE [episode] END |
  CREATE (event)-[:EVIDENCED_BY {space: $space}]->(evidence)
)
RETURN count(event) AS appended
