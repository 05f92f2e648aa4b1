// Records what was shown about a subject, unless the id exists; gives 0 where the subject is unknown.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $id: id of the receipt
// param $properties: everything the receipt holds
// returns: subjects
MATCH (subject:Entity {uid: $subject_uid, space: $space})
OPTIONAL MATCH (known:Recall {space: $space, id: $id})
FOREACH (missing IN CASE WHEN known IS NULL THEN [$properties] ELSE [] END |
  CREATE (receipt:Recall)
  SET receipt = missing
  CREATE (receipt)-[:SHOWED {space: $space}]->(subject)
)
RETURN count(subject) AS subjects
