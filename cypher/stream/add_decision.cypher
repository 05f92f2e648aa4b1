// Stores what was decided for a turn unless its id exists; gives one row where it was stored.
//
// The conversation knows the last turn decided for. No relationship ties decisions to it: erasing thousands of those
// takes minutes on ArcadeDB.
//
// mode: write
// param $space: space of the conversation
// param $id: id of the decision
// param $conversation_uid: unique key of the conversation
// param $conversation: what a new conversation node holds
// param $turn: number of the turn
// param $properties: everything the decision holds
// param $log: name of the log of the space
// param $leaf: digest for that log
// param $weight: what it adds to the sum of that log
// returns: id
OPTIONAL MATCH (known:Decision {space: $space, id: $id})
WITH known
WHERE known IS NULL
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
SET conversation.decided = CASE WHEN $turn > coalesce(conversation.decided, 0) THEN $turn ELSE coalesce(conversation.decided, 0) END
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH log, coalesce(log.log_size, 0) + 1 AS logged
CREATE (entry:Entry {space: $space, log: $log, seq: logged, leaf: $leaf, ends: []})
SET log.log_id = $log
SET log.log_size = logged
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
CREATE (decision:Decision)
SET decision = $properties
SET decision.entry = logged
RETURN decision.id AS id
