// Connections of concepts as they lie in the store, in one row.
//
// mode: read
// param $uids: keys of all concepts
// returns: links
UNWIND $uids AS uid
MATCH (start:Entity {uid: uid})-[link]->(end:Entity)
RETURN collect([type(link), uid, end.uid, properties(link)]) AS links
