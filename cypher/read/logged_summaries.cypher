// All summaries of a space as they lie in the store, in one row.
//
// mode: read
// param $space: the space
// returns: summaries
MATCH (summary:Summary)
WHERE summary.space = $space
RETURN collect(properties(summary)) AS summaries
