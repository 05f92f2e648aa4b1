// Names of conversations that have turns, newest first; a name that several subjects have comes once.
//
// mode: read
// param $space: the space
// param $subject_uid: unique key of the subject; empty for all
// param $limit: most names to give
// returns: name
MATCH (conversation:Conversation {space: $space})
WHERE conversation.turns > 0 AND ($subject_uid = '' OR conversation.subject_uid = $subject_uid)
WITH conversation.id AS name, max(coalesce(conversation.last_change, 0)) AS newest
RETURN name AS name
ORDER BY newest DESC, name DESC
LIMIT $limit
