// Relationship types that the database knows, used or not.
//
// mode: read
// returns: name
CALL db.relationshipTypes() YIELD relationshipType
RETURN relationshipType AS name
ORDER BY name
