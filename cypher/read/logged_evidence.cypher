// To which words events of some subjects lead, each behind its subject: id of the event, id of the words, and what ties
// them; one row.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: evidence
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[:ABOUT]-(event:FactEvent)-[leads:EVIDENCED_BY]->(words:Episode)
RETURN collect([uid, event.id, words.id, properties(leads)]) AS evidence
