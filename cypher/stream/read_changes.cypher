// Items of the stream by the number of their last change; each number is looked up by itself, as an exact key.
//
// Many items come in one row: a row of its own for each took twice as long to read.
//
// mode: read
// param $space: space of the stream
// param $after: the change before the first
// param $upto: the last change
// returns: part, memories
UNWIND range($after + 1, $upto) AS change
MATCH (memory:Memory {space: $space, change: change})
WITH (change - $after - 1) / 20 AS part, collect(properties(memory)) AS memories
RETURN part AS part, memories AS memories
ORDER BY part
