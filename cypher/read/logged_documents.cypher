// All documents of a space as they lie in the store, in one row.
//
// mode: read
// param $space: the space
// returns: documents
MATCH (document:Document)
WHERE document.space = $space
RETURN collect(properties(document)) AS documents
