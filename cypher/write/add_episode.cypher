// Stores an utterance about a subject unless its id exists, or a person changed something that the writer did not see;
// gives one row where it was stored.
//
// The conversation counts its utterances, so that the last ones are found by exact keys, whatever the clocks said.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $id: id of the episode
// param $changed_seq: sequence of the last change by a person that the writer knows of; -1 where it does not matter
// param $conversation_uid: unique key of the conversation about this subject
// param $conversation: what a new conversation node holds
// param $properties: everything the episode holds but its place in the conversation
// param $awaits: what the relationship of an open episode holds, in a list; an empty list for a settled one
// returns: seq
MATCH (subject:Entity {uid: $subject_uid, space: $space})
OPTIONAL MATCH (known:Episode {space: $space, id: $id})
WITH subject, known
WHERE known IS NULL
  AND $changed_seq IN [-1, coalesce(subject.changed_seq, 0)]
SET subject.claimed = true
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
WITH subject, conversation, coalesce(conversation.length, 0) + 1 AS seq
SET conversation.length = seq
SET subject.awaiting = coalesce(subject.awaiting, 0) + size($awaits)
CREATE (episode:Episode)
SET episode = $properties
SET episode.seq = seq
CREATE (episode)-[:CONCERNS {space: $space}]->(subject)
FOREACH (open IN $awaits |
  CREATE (subject)-[awaits:AWAITS]->(episode)
  SET awaits = open
)
RETURN seq AS seq
