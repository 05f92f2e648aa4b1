// A row where a space has anybody of one type, whoever it is: the first that is met.
//
// mode: read
// param $space: the space
// param $type: the type of subjects
// returns: uid
MATCH (known:Entity {space: $space, type: $type})
RETURN known.uid AS uid
LIMIT 1
