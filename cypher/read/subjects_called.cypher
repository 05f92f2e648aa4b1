// Entities of one type whose id or name reads like a word, in no order; one whose id and name both do comes twice.
//
// mode: read
// param $space: the space
// param $type: the type
// param $key: the word as names are compared: casefolded, in one form, blanks collapsed
// returns: entity
MATCH (entity:Entity {space: $space, type: $type, name_key: $key})
RETURN properties(entity) AS entity
UNION ALL
MATCH (entity:Entity {space: $space, type: $type, id_key: $key})
RETURN properties(entity) AS entity
