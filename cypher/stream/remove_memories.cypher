// Erases items of one conversation; what is left of each says only that it was there. Gives no row, and writes nothing,
// where the conversation has another number of turns than the writer saw.
//
// mode: write
// param $space: space of the items
// param $conversation_uid: unique key of the conversation
// param $turns: number of turns that the writer saw
// param $left: number of turns that stay; the next turn is the one after
// param $rows: for each item its `id`, and `marker`, everything that is left of it
// returns: turns, removed
MATCH (stream:Stream {space: $space})
SET stream.claimed = coalesce(stream.claimed, 0) + 1
WITH stream
MATCH (conversation:Conversation {uid: $conversation_uid})
WITH stream, conversation, coalesce(stream.changes, 0) AS changes, coalesce(conversation.turns, 0) AS turns
WHERE turns = $turns
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
