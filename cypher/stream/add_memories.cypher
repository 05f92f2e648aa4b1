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
// param $rows: for each item its `id`, `item`, everything it holds but the numbers given here, and its `leaf` and `weight` for the log
// param $log: name of the log of the space
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
WITH stream, conversation, collect(row) AS missing, sum(row.weight) AS weight
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH stream, conversation, missing, weight, log, coalesce(stream.changes, 0) AS changes, coalesce(conversation.turns, 0) AS turns, coalesce(log.log_size, 0) AS logged
SET stream.changes = changes + size(missing)
SET conversation.turns = turns + $numbered * size(missing)
SET conversation.last_change = CASE WHEN $numbered = 1 THEN changes + size(missing) ELSE coalesce(conversation.last_change, 0) END
SET log.log_id = $log
SET log.log_size = logged + size(missing)
SET log.log_sum = (coalesce(log.log_sum, 0) + weight) % 2305843009213693952
WITH conversation, missing, changes, turns, logged
UNWIND range(1, size(missing)) AS number
WITH conversation, missing[number - 1] AS row, changes + number AS change, $numbered * (turns + number) AS index, logged + number AS place
CREATE (entry:Entry {space: $space, log: $log, seq: place, leaf: row.leaf, ends: []})
CREATE (memory:Memory)
SET memory = row.item
SET memory.index = index
SET memory.seq = change
SET memory.change = change
SET memory.entry = place
CREATE (memory)-[:PART_OF {space: $space}]->(conversation)
RETURN memory.id AS id, index AS index, change AS change
ORDER BY change
