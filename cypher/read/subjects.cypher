// Entities of one type, in one row and in no order: rows of their own and sorting here take several times as long.
//
// mode: read
// param $space: the space
// param $type: the type
// returns: entities
MATCH (entity:Entity)
WHERE entity.space = $space
  AND entity.type = $type
  AND entity.name_key IS NOT NULL
RETURN collect(properties(entity)) AS entities
