// Ties things of a space's own to the concepts that their words say they are.
//
// mode: write
// param $rows: for each thing `uid`, `space` and `is_a`, keys of the concepts
UNWIND $rows AS row
MATCH (thing:Entity {uid: row.uid})
SET thing.is_a = row.is_a
WITH thing, row
UNWIND row.is_a AS kind
MATCH (concept:Entity {uid: kind})
MERGE (thing)-[tie:IS_A]->(concept)
SET tie.space = row.space
