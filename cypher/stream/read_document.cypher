// How far one document is read.
//
// mode: read
// param $space: space of the document
// param $id: its id
// returns: document
MATCH (document:Document {space: $space, id: $id})
RETURN properties(document) AS document
ORDER BY document.id
