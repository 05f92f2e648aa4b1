// Creates objects that are not there; one that exists keeps its names.
//
// mode: write
// param $objects: everything that each node holds
// name KIND: labels of the objects' type
UNWIND $objects AS row
OPTIONAL MATCH (known:Entity {uid: row.uid})
WITH row, known
WHERE known IS NULL
CREATE (object:Entity:KIND)
SET object = row
