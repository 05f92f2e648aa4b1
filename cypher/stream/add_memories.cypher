// Appends items to one conversation of the stream unless their ids exist; gives one row for each that was stored.
//
// The stream counts the changes of its space, so that every server sees what is new; writing to it first lets only one
// writer of a space in at a time. The conversation counts its turns.
//
// mode: write
// param $space: space of the items
// param $conversation_uid: unique key of the conversation
// param $conversation: what a new conversation node holds
// param $numbered: 1 for turns, which have a place in the conversation; 0 for items made of others
// param $rows: everything each item holds but the numbers given here
// returns: id, index, change
MERGE (stream:Stream {space: $space})
SET stream.claimed = coalesce(stream.claimed, 0) + 1
WITH stream
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
WITH stream, conversation
UNWIND $rows AS row
OPTIONAL MATCH (known:Memory {space: $space, id: row.id})
WITH stream, conversation, row, known
WHERE known IS NULL
WITH stream, conversation, collect(row) AS missing
WITH stream, conversation, missing, coalesce(stream.changes, 0) AS changes, coalesce(conversation.turns, 0) AS turns
SET stream.changes = changes + size(missing)
SET conversation.turns = turns + $numbered * size(missing)
SET conversation.last_change = CASE WHEN $numbered = 1 THEN changes + size(missing) ELSE coalesce(conversation.last_change, 0) END
WITH conversation, missing, changes, turns
UNWIND range(1, size(missing)) AS number
WITH conversation, missing[number - 1] AS row, changes + number AS change, $numbered * (turns + number) AS index
CREATE (memory:Memory)
SET memory = row
SET memory.index = index
SET memory.seq = change
SET memory.change = change
CREATE (memory)-[:PART_OF {space: $space}]->(conversation)
RETURN memory.id AS id, index AS index, change AS change
ORDER BY change
