// Stores utterances of one conversation about a subject, unless the id of any of them exists; gives how many were stored.
//
// As `add_episode`, for the entries of a record, which come by the dozen: one query for all of them. The subject is
// written to first: it lets one writer of its log in at a time.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $ids: ids of the episodes
// param $conversation_uid: unique key of the conversation about this subject
// param $conversation: what a new conversation node holds
// param $episodes: for each its `place` among them, everything it holds but its place in the conversation (`properties`), how many entries of the log stand before its own (`logged`), how many are its own (`own`), and `awaits`: what the relationship of an open episode holds, in a list
// param $open: how many of them are open
// param $entries: for each entry of the log its `place` among them and `leaf`
// param $weight: what the entries add to the sum of the log
// returns: stored
MATCH (subject:Entity {uid: $subject_uid, space: $space})
UNWIND $ids AS id
OPTIONAL MATCH (known:Episode {space: $space, id: id})
WITH subject, count(known) AS known
WHERE known = 0
SET subject.claimed = true
MERGE (conversation:Conversation {uid: $conversation_uid})
SET conversation += $conversation
WITH subject, conversation, coalesce(conversation.length, 0) AS said, coalesce(subject.log_size, 0) AS logged
SET conversation.length = said + size($episodes)
SET subject.awaiting = coalesce(subject.awaiting, 0) + $open
SET subject.log_size = logged + size($entries)
SET subject.log_sum = (coalesce(subject.log_sum, 0) + $weight) % 2305843009213693952
FOREACH (row IN $entries |
  CREATE (entry:Entry {space: $space, log: subject.log_id, seq: logged + row.place, leaf: row.leaf, ends: []})
)
WITH subject, said, logged
UNWIND $episodes AS row
CREATE (episode:Episode)
SET episode = row.properties
SET episode.seq = said + row.place
SET episode.entry = logged + row.logged + 1
SET episode.settled_entry = CASE WHEN row.own > 1 THEN logged + row.logged + 2 ELSE 0 END
CREATE (episode)-[:CONCERNS {space: $space}]->(subject)
FOREACH (open IN row.awaits |
  CREATE (subject)-[awaits:AWAITS]->(episode)
  SET awaits = open
)
RETURN count(episode) AS stored
