// Items of the stream by the number of their last change; each number is looked up by itself, as an exact key.
//
// Many items come in one row, each as a list of its values: a row of its own for each took twice as long to read, and
// the names of all properties with each half as long again. An erased item has only its change and what it was.
//
// mode: read
// param $space: space of the stream
// param $after: the change before the first
// param $upto: the last change
// returns: part, memories
UNWIND range($after + 1, $upto) AS change
MATCH (memory:Memory {space: $space, change: change})
WITH (change - $after - 1) / 20 AS part,
     collect([
       memory.id, memory.space, memory.conversation, memory.subject_uid, memory.speaker, memory.observation,
       memory.responder, memory.response, memory.summary, memory.index, memory.seq, memory.change,
       memory.importance, memory.created_at, memory.accessed_at, memory.tier, memory.sources, memory.flags,
       memory.embedding, memory.embedding_model, memory.removed_id, memory.objections
     ]) AS memories
RETURN part AS part, memories AS memories
ORDER BY part
