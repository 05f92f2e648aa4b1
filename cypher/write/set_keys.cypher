// Gives entities the keys that their words are looked up by.
//
// mode: write
// param $rows: uid of each entity and its keys
UNWIND $rows AS row
MATCH (entity:Entity {uid: row.uid})
SET entity += row.keys
