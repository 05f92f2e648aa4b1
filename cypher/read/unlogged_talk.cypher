// What an earlier version kept of conversations under an id, without an entry in the log.
//
// mode: read
// name KIND: items, decisions or documents
// returns: stored
MATCH (one:KIND)
WHERE one.entry IS NULL
  AND one.removed_id IS NULL
  AND one.id IS NOT NULL
RETURN properties(one) AS stored
ORDER BY one.space, one.seq, one.id
