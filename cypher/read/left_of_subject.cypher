// A row where something was recorded about a subject that is not there: by keys of its own, as its node may be lost; one
// where it is found by one of its keys and not by all; and one where what the store was prepared with is gone.
//
// mode: read
// param $uid: unique key of the subject
// param $first: key of the first event of its chain
// param $talk: key of its conversation without a name
// param $space: its space
// param $type: its type
// param $id: its id
// param $key: its id as ids are compared
// returns: left
MATCH (event:FactEvent {chain_key: $first})
OPTIONAL MATCH (subject:Entity {uid: $uid})
WITH event, subject
WHERE subject IS NULL
RETURN event.seq AS left
ORDER BY left
UNION ALL
MATCH (conversation:Conversation {uid: $talk})
OPTIONAL MATCH (subject:Entity {uid: $uid})
WITH conversation, subject
WHERE subject IS NULL
RETURN conversation.length AS left
ORDER BY left
UNION ALL
MATCH (elsewhere:Entity {uid: $uid})
RETURN elsewhere.type AS left
ORDER BY left
UNION ALL
MATCH (other:Entity {space: $space, type: $type, id_key: $key})
WHERE other.id = $id
RETURN other.type AS left
ORDER BY left
UNION ALL
UNWIND ['schema'] AS left
OPTIONAL MATCH (schema:SchemaVersion)
WITH left, schema
LIMIT 1
WHERE schema IS NULL
RETURN left AS left
ORDER BY left
