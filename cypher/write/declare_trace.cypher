// Creates the trace of somebody who was erased unless its key exists; without the labels of subjects, for it is none.
//
// mode: write
// param $uid: unique key of the trace
// param $properties: everything the node holds, key included
OPTIONAL MATCH (known:Entity {uid: $uid})
WITH known
WHERE known IS NULL
CREATE (trace:Entity)
SET trace = $properties
