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
// returns: place
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
WITH conversation, coalesce(conversation.summaries, 0) + 1 AS place, coalesce(conversation.summary_version, 0) AS newest
WHERE newest < $version
SET conversation.summaries = place
SET conversation.summary_version = $version
CREATE (summary:Summary)
SET summary = $properties
SET summary.place = place
RETURN place AS place
