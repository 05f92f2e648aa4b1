// Makes the present state of facts along one relation exactly what is given, and creates objects that are new.
//
// An object that exists keeps its names: the knowledge pack decides about those.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $rows: for each fact `object` and `fact`, everything the node and the relationship hold
// name FACT: the relation
// name KIND: labels of the objects' type
// returns: written
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {uid: row.object.uid})
FOREACH (missing IN CASE WHEN known IS NULL THEN [row.object] ELSE [] END |
  CREATE (new:Entity:KIND)
  SET new = missing
)
WITH row
MATCH (subject:Entity {uid: $subject_uid, space: $space})
MATCH (object:Entity {uid: row.object.uid})
MERGE (subject)-[fact:FACT {fact_id: row.fact.fact_id}]->(object)
SET fact = row.fact
RETURN count(fact) AS written
