// Events of some subjects as they lie in the store, with what ties them; one row for a subject, in no order.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: uid, events
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[about:ABOUT]-(event:FactEvent)
OPTIONAL MATCH (event)-[evidence:EVIDENCED_BY]->(episode:Episode)
WITH uid, event, about, collect([episode.id, properties(evidence)]) AS evidence
RETURN uid AS uid, collect([properties(event), properties(about), evidence]) AS events
