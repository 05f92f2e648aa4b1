// What was shown about one subject, newest first.
//
// mode: read
// param $space: the space
// param $subject_uid: unique key of the subject
// param $limit: most receipts to give
// returns: receipt
MATCH (receipt:Recall)-[showed:SHOWED]->(subject:Entity {uid: $subject_uid, space: $space})
WITH receipt
ORDER BY receipt.shown_at DESC, receipt.id DESC
LIMIT $limit
RETURN properties(receipt) AS receipt
