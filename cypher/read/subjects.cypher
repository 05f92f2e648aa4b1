// Entities of one type, by id.
//
// mode: read
// param $space: the space
// param $type: the type
// param $limit: most entities to give
// returns: entity
MATCH (entity:Entity)
WHERE entity.space = $space
  AND entity.type = $type
  AND entity.name_key IS NOT NULL
RETURN properties(entity) AS entity
ORDER BY entity.id
LIMIT $limit
