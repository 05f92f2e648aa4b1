// Everybody of one type by id and name, traces of those who were erased included, in one row and in no order.
//
// mode: read
// param $space: the space
// param $type: the type
// returns: people
MATCH (person:Entity {space: $space, type: $type})
WHERE person.name_key IS NOT NULL
RETURN collect([person.id, person.name]) AS people
