// What was shown about some subjects as it lies in the store, with what ties it; one row for a subject, in no order.
//
// mode: read
// param $uids: unique keys of the subjects
// returns: uid, receipts
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[showed:SHOWED]-(receipt:Recall)
RETURN uid AS uid, collect([properties(receipt), properties(showed)]) AS receipts
