// Subjects as they lie in the store, whatever they are by now.
//
// mode: read
// param $uids: their unique keys
// returns: uid, labels, subject
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})
RETURN uid AS uid, labels(subject) AS labels, properties(subject) AS subject
ORDER BY uid
