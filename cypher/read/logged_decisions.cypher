// All decisions of a space as they lie in the store, in one row.
//
// mode: read
// param $space: the space
// returns: decisions
MATCH (decision:Decision)
WHERE decision.space = $space
RETURN collect(properties(decision)) AS decisions
