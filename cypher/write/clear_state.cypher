// Removes every fact of one subject from the present state; the ledger is untouched.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[fact]->(object:Entity)
WHERE fact.fact_id IS NOT NULL
DELETE fact
