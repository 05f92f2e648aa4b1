// Removes the connections of the knowledge pack's last version; facts are not among them.
//
// mode: write
// param $uids: keys of all concepts
UNWIND $uids AS uid
MATCH (start:Entity {uid: uid})-[link]->(end:Entity)
WHERE link.space = 'knowledge'
DELETE link
