// What was decided for the turns of one conversation, newest first. Each turn is looked up by itself, as an exact key.
//
// mode: read
// param $space: space of the conversation
// param $conversation_uid: unique key of the conversation
// param $limit: most decisions to give
// returns: decision
MATCH (conversation:Conversation {uid: $conversation_uid, space: $space})
WITH coalesce(conversation.decided, 0) AS decided
UNWIND range(0, decided) AS turn
MATCH (decision:Decision {conversation_uid: $conversation_uid, turn: turn})
WITH decision
ORDER BY decision.at DESC, decision.id DESC
LIMIT $limit
RETURN properties(decision) AS decision
