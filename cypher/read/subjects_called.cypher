// Entities of one type whose id or name reads like one of some words, in no order; each once for every way it is met.
//
// mode: read
// param $space: the space
// param $type: the type
// param $keys: the words as names are compared: casefolded, in one form, blanks collapsed
// returns: entity
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, type: $type, name_key: key})
RETURN properties(entity) AS entity
UNION ALL
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, type: $type, id_key: key})
RETURN properties(entity) AS entity
