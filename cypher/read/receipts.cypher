// What was shown about one subject, newest first.
//
// mode: read
// param $space: the space
// param $subject_uid: unique key of the subject
// param $limit: most receipts to give
// returns: receipt
MATCH (subject:Entity {uid: $subject_uid, space: $space})<-[showed:SHOWED]-(receipt:Recall)
RETURN properties(receipt) AS receipt
ORDER BY receipt.shown_at DESC, receipt.id DESC
LIMIT $limit
