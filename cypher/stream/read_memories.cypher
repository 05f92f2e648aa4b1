// Items of the stream by their ids.
//
// mode: read
// param $space: space of the items
// param $ids: their ids, each once
// returns: memory
UNWIND $ids AS id
MATCH (memory:Memory {space: $space, id: id})
WITH memory, memory.id AS id
RETURN properties(memory) AS memory
ORDER BY id
