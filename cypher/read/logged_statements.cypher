// Utterances about some subjects as they lie in the store, each behind its subject, with what ties it; one row.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: statements
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[concerns:CONCERNS]-(episode:Episode)
RETURN collect([uid, properties(episode), properties(concerns)]) AS statements
