// Versions of a conversation's summary, newest first.
//
// mode: read
// param $space: space of the conversation
// param $conversation_uid: unique key of the conversation
// param $limit: most versions to give
// returns: place, summary
MATCH (conversation:Conversation {uid: $conversation_uid, space: $space})
WITH coalesce(conversation.summaries, 0) AS newest
UNWIND range(CASE WHEN newest > $limit THEN newest - $limit + 1 ELSE 1 END, newest) AS place
MATCH (summary:Summary {conversation_uid: $conversation_uid, place: place})
WHERE summary.space = $space
RETURN summary.place AS place, properties(summary) AS summary
ORDER BY place DESC
