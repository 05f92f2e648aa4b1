// What was decided for the turns of all conversations of a space, newest first.
//
// mode: read
// param $space: the space
// param $limit: most decisions to give
// returns: decision
MATCH (decision:Decision {space: $space})
WITH decision
ORDER BY decision.at DESC, decision.id DESC
LIMIT $limit
RETURN properties(decision) AS decision
