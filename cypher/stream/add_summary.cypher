// Stores the next version of a conversation's summary; gives no row, and writes nothing, where the conversation has this
// version or a later one.
//
// The conversation counts its summaries, so that the newest is found by an exact key. No relationship ties them to it:
// erasing thousands of those takes minutes on ArcadeDB.
//
// mode: write
// param $conversation_uid: unique key of the conversation
// param $conversation: what a new conversation node holds
// param $version: number of the version
// param $properties: everything the summary holds but its place
// param $space: space of the conversation
// param $log: name of the log of the space
// param $leaf: digest for that log
// param $weight: what it adds to the sum of that log
// returns: place
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
WITH conversation, coalesce(conversation.summaries, 0) + 1 AS place, coalesce(conversation.summary_version, 0) AS newest
WHERE newest < $version
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH conversation, place, log, coalesce(log.log_size, 0) + 1 AS logged
CREATE (entry:Entry {space: $space, log: $log, seq: logged, leaf: $leaf, ends: []})
SET log.log_id = $log
SET log.log_size = logged
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
SET conversation.summaries = place
SET conversation.summary_version = $version
CREATE (summary:Summary)
SET summary = $properties
SET summary.place = place
SET summary.entry = logged
RETURN place AS place
