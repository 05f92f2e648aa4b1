// Removes the connections of a knowledge pack's last version; neither facts nor those of other packs are among them.
//
// mode: write
// param $name: name of the pack
// param $uids: keys of all its concepts
UNWIND $uids AS uid
MATCH (start:Entity {uid: uid})-[link]->(end:Entity)
WHERE link.space = 'knowledge'
  AND coalesce(link.pack, $name) = $name
DELETE link
