// A row where a space has anybody of one type, whoever it is: the first that is met.
//
// Everybody has an `id_key`; with it Neo4j looks in the index instead of at every entity there is.
//
// mode: read
// param $space: the space
// param $type: the type of subjects
// returns: uid
MATCH (known:Entity {space: $space, type: $type})
WHERE known.id_key IS NOT NULL
RETURN known.uid AS uid
LIMIT 1
