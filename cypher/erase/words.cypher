// Erases words of a space's own, which nothing reaches any more.
//
// mode: write
// param $uids: unique keys of the words
UNWIND $uids AS uid
MATCH (word:Entity {uid: uid})
DETACH DELETE word
