// Who was declared in a space behind one place in its log, by id and name, in no order; one row.
//
// mode: read
// param $space: the space
// param $type: the type of subjects
// param $after: the place
// returns: people
MATCH (person:Entity {space: $space, type: $type})
WHERE person.name_key IS NOT NULL
  AND person.entry > $after
RETURN collect([person.id, person.name, person.entry]) AS people
