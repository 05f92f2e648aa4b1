// Ids of everything that was shown about one subject.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// returns: id
MATCH (subject:Entity {uid: $subject_uid, space: $space})<-[showed:SHOWED]-(receipt:Recall)
RETURN receipt.id AS id
ORDER BY id
