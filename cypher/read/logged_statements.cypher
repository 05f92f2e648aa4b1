// Utterances about some subjects as they lie in the store, with what ties them; one row for a subject, in no order.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: uid, statements
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[concerns:CONCERNS]-(episode:Episode)
RETURN uid AS uid, collect([properties(episode), properties(concerns)]) AS statements
