// Erases summaries that cover, and decisions that led to, turns after a turn; with 0, all of them. Gives no row for an
// unknown conversation. Each is looked up by its place or turn, as an exact key.
//
// mode: write
// param $space: space of the conversation
// param $conversation_uid: unique key of the conversation
// param $after: number of the last turn that stays
// param $log: name of the log of the space
// param $leaf: digest for that log
// param $weight: what it adds to the sum of that log
// returns: erased
MATCH (conversation:Conversation {uid: $conversation_uid, space: $space})
SET conversation.summaries = coalesce(conversation.summaries, 0)
WITH conversation, conversation.summaries AS newest, coalesce(conversation.decided, 0) AS decided
UNWIND range(0, newest) AS number
OPTIONAL MATCH (summary:Summary {conversation_uid: $conversation_uid, place: number})
WITH conversation,
     decided,
     collect(CASE WHEN $after = 0 OR summary.upto > $after THEN summary END) AS covering,
     max(CASE WHEN $after > 0 AND summary.upto <= $after THEN summary.place END) AS place,
     max(CASE WHEN $after > 0 AND summary.upto <= $after THEN summary.version END) AS version
SET conversation.summaries = coalesce(place, 0)
SET conversation.summary_version = coalesce(version, 0)
WITH covering, decided
UNWIND range(0, decided) AS turn
OPTIONAL MATCH (decision:Decision {conversation_uid: $conversation_uid, turn: turn})
WITH covering, collect(CASE WHEN $after = 0 OR decision.turn > $after THEN decision END) AS deciding
WITH covering + deciding AS gone, size(covering) + size(deciding) AS erased
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH gone, erased, log, coalesce(log.log_size, 0) + 1 AS logged
CREATE (entry:Entry {space: $space, log: $log, seq: logged, leaf: $leaf, ends: [made IN gone | made.entry]})
SET log.log_id = $log
SET log.log_size = logged
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
FOREACH (made IN gone | DETACH DELETE made)
RETURN erased AS erased
