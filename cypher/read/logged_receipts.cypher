// What was shown about some subjects as it lies in the store, each behind its subject, with what ties it; one row.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: receipts
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[showed:SHOWED]-(receipt:Recall)
RETURN collect([uid, properties(receipt), properties(showed)]) AS receipts
