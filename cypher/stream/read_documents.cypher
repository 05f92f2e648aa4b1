// Documents of a space and how far each is read, newest first.
//
// mode: read
// param $space: the space
// param $limit: most documents to give
// returns: document
MATCH (document:Document {space: $space})
WITH document
ORDER BY document.made_at DESC, document.id DESC
LIMIT $limit
RETURN properties(document) AS document
