// Stores an utterance about a subject unless its id exists, or a person changed something that the writer did not see;
// gives rows where it was stored: its place, and those before it with what was said there.
//
// The conversation counts its utterances, so that the last ones are found by exact keys, whatever the clocks said. The
// subject is written to first: it lets one writer of its log in at a time.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $id: id of the episode
// param $changed_seq: sequence of the last change by a person that the writer knows of; -1 where it does not matter
// param $conversation_uid: unique key of the conversation about this subject
// param $conversation: what a new conversation node holds
// param $properties: everything the episode holds but its place in the conversation
// param $turns: how many utterances before it to give
// param $awaits: what the relationship of an open episode holds, in a list; an empty list for a settled one
// param $entries: for each entry of the log its `place` among them and `leaf`: the words, then how far they got
// param $weight: what the entries add to the sum of the log
// returns: seq, place, turn
MATCH (subject:Entity {uid: $subject_uid, space: $space})
OPTIONAL MATCH (known:Episode {space: $space, id: $id})
WITH subject, known
WHERE known IS NULL
  AND $changed_seq IN [-1, coalesce(subject.changed_seq, 0)]
SET subject.claimed = true
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
WITH subject, conversation, coalesce(conversation.length, 0) + 1 AS seq, coalesce(subject.log_size, 0) AS logged
SET conversation.length = seq
SET subject.awaiting = coalesce(subject.awaiting, 0) + size($awaits)
SET subject.log_size = logged + size($entries)
SET subject.log_sum = (coalesce(subject.log_sum, 0) + $weight) % 2305843009213693952
FOREACH (row IN $entries |
  CREATE (entry:Entry {space: $space, log: subject.log_id, seq: logged + row.place, leaf: row.leaf, ends: []})
)
CREATE (episode:Episode)
SET episode = $properties
SET episode.seq = seq
SET episode.entry = logged + 1
SET episode.settled_entry = CASE WHEN size($entries) > 1 THEN logged + 2 ELSE 0 END
CREATE (episode)-[:CONCERNS {space: $space}]->(subject)
FOREACH (open IN $awaits |
  CREATE (subject)-[awaits:AWAITS]->(episode)
  SET awaits = open
)
WITH episode, seq
UNWIND range(seq - $turns, seq) AS place
OPTIONAL MATCH (turn:Episode {subject_uid: $subject_uid, conversation: episode.conversation, seq: place})
RETURN seq AS seq, place AS place, properties(turn) AS turn
ORDER BY place
