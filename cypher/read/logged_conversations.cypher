// Conversations as they lie in the store, in no order.
//
// mode: read
// param $uids: their unique keys
// returns: conversation
UNWIND $uids AS uid
MATCH (conversation:Conversation {uid: uid})
RETURN properties(conversation) AS conversation
