// Conversations of a space with any turns, and its stream, as they lie in the store, in one row.
//
// mode: read
// param $space: the space
// returns: conversations, streams
OPTIONAL MATCH (conversation:Conversation)
WHERE conversation.space = $space
WITH collect(properties(conversation)) AS conversations
OPTIONAL MATCH (stream:Stream {space: $space})
RETURN conversations AS conversations, collect(properties(stream)) AS streams
