// What the things of some subjects' facts are tied to as kinds of it, each behind its subject: key of the thing, key of
// the concept; one row.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: kinds
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})-[fact]->(thing:Entity)-[tie:IS_A]->(concept:Entity)
WHERE thing.space = subject.space
RETURN collect(DISTINCT [uid, thing.uid, concept.uid]) AS kinds
