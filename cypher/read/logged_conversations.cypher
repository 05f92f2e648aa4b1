// Conversations as they lie in the store; one row.
//
// mode: read
// param $uids: their unique keys
// returns: conversations
UNWIND $uids AS uid
MATCH (conversation:Conversation {uid: uid})
RETURN collect(properties(conversation)) AS conversations
