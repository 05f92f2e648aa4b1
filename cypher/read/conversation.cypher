// The last utterances of one conversation about one subject, oldest first.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// param $conversation: id of the conversation
// param $conversation_uid: unique key of the conversation about this subject
// param $limit: most utterances to give
// returns: seq, episode
MATCH (conversation:Conversation {uid: $conversation_uid, space: $space})
WITH conversation.length AS length
UNWIND range(length - $limit + 1, length) AS place
MATCH (episode:Episode {subject_uid: $subject_uid, conversation: $conversation, seq: place})
WHERE episode.space = $space
RETURN episode.seq AS seq, properties(episode) AS episode
ORDER BY seq
