// Items of the stream as they lie in the store but for their vectors, with what ties them; one row.
//
// mode: read
// param $space: the space
// returns: items
MATCH (memory:Memory {space: $space})
OPTIONAL MATCH (memory)-[part:PART_OF]->(conversation:Conversation)
WITH memory, collect([conversation.uid, properties(part)]) AS ties
RETURN collect([properties(memory), ties]) AS items
