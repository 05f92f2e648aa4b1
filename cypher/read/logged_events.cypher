// Events of some subjects as they lie in the store, each behind its subject, with what ties it; one row.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: events
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[about:ABOUT]-(event:FactEvent)
RETURN collect([uid, properties(event), properties(about)]) AS events
