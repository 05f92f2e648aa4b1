// Creates facts of the present state along one relation.
//
// mode: write
// param $fact: what all facts hold alike
// param $rows: for each fact the uids of `subject` and `object`, and `fact`, what it holds beside
// name FACT: the relation
UNWIND $rows AS row
MATCH (subject:Entity {uid: row.subject})
MATCH (object:Entity {uid: row.object})
CREATE (subject)-[fact:FACT]->(object)
SET fact = $fact
SET fact += row.fact
