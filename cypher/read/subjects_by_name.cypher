// Entities of one type with one name, upper and lower case alike, by id.
//
// mode: read
// param $space: the space
// param $type: the type
// param $name_key: the casefolded name
// param $limit: most entities to give
// returns: entity
MATCH (entity:Entity {space: $space, type: $type, name_key: $name_key})
RETURN properties(entity) AS entity
ORDER BY entity.id
LIMIT $limit
