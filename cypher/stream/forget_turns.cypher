// Erases summaries that cover, and decisions that led to, turns after a turn; with 0, all of them. Gives no row for an
// unknown conversation. Each is looked up by its place or turn, as an exact key.
//
// mode: write
// param $space: space of the conversation
// param $conversation_uid: unique key of the conversation
// param $after: number of the last turn that stays
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
FOREACH (made IN gone | DETACH DELETE made)
RETURN erased AS erased
