// A row where something was recorded about a subject: by its own keys, as its node may be lost.
//
// mode: read
// param $first: key of the first event of its chain
// param $talk: key of its conversation without a name
// returns: left
MATCH (event:FactEvent {chain_key: $first})
RETURN event.chain_key AS left
ORDER BY left
UNION ALL
MATCH (conversation:Conversation {uid: $talk})
RETURN conversation.uid AS left
ORDER BY left
