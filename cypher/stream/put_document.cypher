// Stores how far a document is read, in place of what was stored before.
//
// mode: write
// param $space: space of the document
// param $id: its id
// param $properties: everything the document holds
// returns: id
MERGE (document:Document {space: $space, id: $id})
SET document = $properties
RETURN document.id AS id
