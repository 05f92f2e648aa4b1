// Creates a subject unless its key exists; labels are given at creation, ArcadeDB cannot add any later.
//
// mode: write
// param $uid: unique key of the subject
// param $properties: everything the node holds, key included
// name KIND: labels of the subject's type
OPTIONAL MATCH (known:Entity {uid: $uid})
WITH known
WHERE known IS NULL
CREATE (subject:Entity:KIND)
SET subject = $properties
