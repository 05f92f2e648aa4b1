// A part of everybody of one type, those who await most open utterances first, then by id; without the traces of those
// who were erased.
//
// mode: read
// param $space: the space
// param $type: the type
// param $holding: what id or name hold, as names are compared; empty for everybody
// param $trace: what the id of a trace begins with
// param $trace_size: how long such an id is
// param $start: how many to leave out
// param $limit: how many to give
// returns: id, name, waits
MATCH (person:Entity {space: $space, type: $type})
WHERE person.name_key IS NOT NULL
  AND ($holding = '' OR person.id_key CONTAINS $holding OR person.name_key CONTAINS $holding)
  AND NOT (person.id STARTS WITH $trace AND size(person.id) = $trace_size)
RETURN person.id AS id, person.name AS name, coalesce(person.awaiting, 0) AS waits
ORDER BY waits DESC, id
SKIP $start
LIMIT $limit
