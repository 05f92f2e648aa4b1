// Events of some subjects as they lie in the store, with what ties them and the words, if they are there; one row for a subject, in no order.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: uid, events
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[about:ABOUT]-(event:FactEvent)
OPTIONAL MATCH (event)-[evidence:EVIDENCED_BY]->(episode:Episode)
WITH uid, event, about, collect([episode.id, properties(evidence)]) AS evidence
OPTIONAL MATCH (words:Episode {space: event.space, id: coalesce(event.episode_id, '')})
RETURN uid AS uid, collect([properties(event), properties(about), evidence, words.id]) AS events
