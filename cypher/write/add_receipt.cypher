// Records what was shown about a subject, unless the id exists; gives 0 where the subject is unknown.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $id: id of the receipt
// param $properties: everything the receipt holds
// param $leaf: its digest, for the log
// param $weight: what it adds to the sum of the log
// returns: subjects
MATCH (subject:Entity {uid: $subject_uid, space: $space})
OPTIONAL MATCH (known:Recall {space: $space, id: $id})
SET subject.claimed = true
WITH subject, CASE WHEN known IS NULL THEN [$properties] ELSE [] END AS missing, coalesce(subject.log_size, 0) + 1 AS place
FOREACH (receipt IN missing |
  SET subject.log_size = place
  SET subject.log_sum = (coalesce(subject.log_sum, 0) + $weight) % 2305843009213693952
  CREATE (entry:Entry {space: $space, log: subject.log_id, seq: place, leaf: $leaf, ends: []})
  CREATE (recall:Recall)
  SET recall = receipt
  SET recall.entry = place
  CREATE (recall)-[:SHOWED {space: $space}]->(subject)
)
RETURN count(subject) AS subjects
