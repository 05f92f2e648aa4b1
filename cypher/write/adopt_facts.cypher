// Gives facts of an earlier version the digests that reads are held against.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $rows: for each its `id`, and `digest`
UNWIND $rows AS row
MATCH (subject:Entity {uid: $subject_uid})-[fact {fact_id: row.id}]->(object:Entity)
SET fact.digest = row.digest
