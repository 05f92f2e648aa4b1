// Changes items of the stream: a vector, a summary, when they were last used. Items that are gone are passed over.
//
// mode: write
// param $space: space of the items
// param $rows: for each item its `id`, and `properties`, what changes
// returns: amended
MATCH (stream:Stream {space: $space})
SET stream.claimed = coalesce(stream.claimed, 0) + 1
WITH stream, coalesce(stream.changes, 0) AS changes
SET stream.changes = changes + size($rows)
WITH changes
UNWIND range(1, size($rows)) AS number
WITH changes + number AS change, $rows[number - 1] AS row
MATCH (memory:Memory {space: $space, id: row.id})
SET memory += row.properties
SET memory.change = change
RETURN count(memory) AS amended
