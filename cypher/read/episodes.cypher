// Every utterance about one subject, conversation by conversation, each in its order.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// returns: conversation, seq, episode
MATCH (subject:Entity {uid: $subject_uid, space: $space})<-[concerns:CONCERNS]-(episode:Episode)
RETURN episode.conversation AS conversation, episode.seq AS seq, properties(episode) AS episode
ORDER BY conversation, seq
