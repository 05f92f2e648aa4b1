// Gives entities what a later version keeps beside them: the keys that their words are looked up by, counts of facts.
//
// mode: write
// param $rows: uid of each entity and its `keys`, the properties to set
UNWIND $rows AS row
MATCH (entity:Entity {uid: row.uid})
SET entity += row.keys
