// Subjects as they lie in the store, whatever they are by now, each behind its key; one row.
//
// mode: read
// param $uids: their unique keys
// returns: subjects
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})
RETURN collect([uid, labels(subject), properties(subject)]) AS subjects
