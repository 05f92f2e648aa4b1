// The present state of some subjects as it lies in the store: facts, and what is awaited; one row for a subject.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: uid, state
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})-[edge]->(node)
RETURN uid AS uid, collect([type(edge), properties(edge), node.id, CASE WHEN node:Entity THEN properties(node) END, labels(node)]) AS state
