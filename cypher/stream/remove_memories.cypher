// Erases items of one conversation; what is left of each says only that it was there. Gives no row, and writes nothing,
// where the conversation has another number of turns than the writer saw.
//
// mode: write
// param $space: space of the items
// param $conversation_uid: unique key of the conversation
// param $turns: number of turns that the writer saw
// param $left: number of turns that stay; the next turn is the one after
// param $rows: for each item its `id`, and `marker`, everything that is left of it
// param $log: name of the log of the space
// param $leaf: digest for that log
// param $weight: what it adds to the sum of that log
// returns: turns, removed
MATCH (stream:Stream {space: $space})
SET stream.claimed = coalesce(stream.claimed, 0) + 1
WITH stream
MATCH (conversation:Conversation {uid: $conversation_uid})
WITH stream, conversation, coalesce(stream.changes, 0) AS changes, coalesce(conversation.turns, 0) AS turns
WHERE turns = $turns
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH stream, conversation, changes, turns, log
UNWIND $rows AS gone
OPTIONAL MATCH (leaving:Memory {space: $space, id: gone.id})
WITH stream, conversation, changes, turns, log, coalesce(log.log_size, 0) + 1 AS place, collect(leaving.entry) AS ends
CREATE (entry:Entry {space: $space, log: $log, seq: place, leaf: $leaf, ends: ends})
SET log.log_id = $log
SET log.log_size = place
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
SET stream.changes = changes + size($rows)
SET conversation.turns = $left
SET conversation.last_change = changes + size($rows)
WITH changes, turns
UNWIND range(1, size($rows)) AS number
WITH turns, changes + number AS change, $rows[number - 1] AS row
OPTIONAL MATCH (memory:Memory {space: $space, id: row.id})
FOREACH (found IN CASE WHEN memory IS NULL THEN [] ELSE [memory] END |
  SET found = row.marker
  SET found.change = change
)
RETURN turns AS turns, count(memory) AS removed
ORDER BY turns
