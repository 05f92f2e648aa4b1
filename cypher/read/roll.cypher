// Everybody of one type, in one row and in no order: id, name, and how many open utterances each awaits.
//
// mode: read
// param $space: the space
// param $type: the type
// returns: people
MATCH (person:Entity {space: $space, type: $type})
WHERE person.name_key IS NOT NULL
RETURN collect([person.id, person.name, coalesce(person.awaiting, 0)]) AS people
