// How many there are of whom `read/roll` gives a part, and how many open utterances they await in all; one row.
//
// mode: read
// param $space: the space
// param $type: the type
// param $holding: what id or name hold, as names are compared; empty for everybody
// param $trace: what the id of a trace begins with
// param $trace_size: how long such an id is
// returns: number, waits
MATCH (person:Entity {space: $space, type: $type})
WHERE person.name_key IS NOT NULL
  AND ($holding = '' OR person.id_key CONTAINS $holding OR person.name_key CONTAINS $holding)
  AND NOT (person.id STARTS WITH $trace AND size(person.id) = $trace_size)
RETURN count(person) AS number, sum(coalesce(person.awaiting, 0)) AS waits
