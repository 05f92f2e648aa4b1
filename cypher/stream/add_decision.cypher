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
// returns: id
OPTIONAL MATCH (known:Decision {space: $space, id: $id})
WITH known
WHERE known IS NULL
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
SET conversation.decided = CASE WHEN $turn > coalesce(conversation.decided, 0) THEN $turn ELSE coalesce(conversation.decided, 0) END
CREATE (decision:Decision)
SET decision = $properties
RETURN decision.id AS id
