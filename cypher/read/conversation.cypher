// The last utterances of one conversation about one subject, oldest first; none after one that is named.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// param $conversation: id of the conversation
// param $conversation_uid: unique key of the conversation about this subject
// param $limit: most utterances to give
// param $until: id of the last one wanted; empty for the end of the conversation
// returns: seq, episode
MATCH (conversation:Conversation {uid: $conversation_uid, space: $space})
OPTIONAL MATCH (last:Episode {space: $space, id: $until})
WITH coalesce(last.seq, conversation.length) AS newest
UNWIND range(newest - $limit + 1, newest) AS place
MATCH (episode:Episode {subject_uid: $subject_uid, conversation: $conversation, seq: place})
WHERE episode.space = $space
RETURN episode.seq AS seq, properties(episode) AS episode
ORDER BY seq
