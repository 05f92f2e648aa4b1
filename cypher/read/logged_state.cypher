// The present state of some subjects as it lies in the store, each part behind its subject: facts, and what is awaited;
// one row.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: state
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})-[edge]->(node)
RETURN collect([uid, type(edge), properties(edge), node.id, CASE WHEN node:Entity THEN properties(node) END, labels(node)]) AS state
