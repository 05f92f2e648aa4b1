// The entity of one key, if it lies in the space.
//
// mode: read
// param $uid: unique key
// param $space: its space
// returns: entity
MATCH (entity:Entity {uid: $uid, space: $space})
RETURN properties(entity) AS entity
ORDER BY entity.uid
