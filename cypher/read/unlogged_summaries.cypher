// Summaries of an earlier version, without an entry in the log.
//
// mode: read
// returns: stored
MATCH (one:Summary)
WHERE one.entry IS NULL
RETURN properties(one) AS stored
ORDER BY one.space, one.conversation_uid, one.version
