// Erases the names of conversations about one subject; what was said in them is erased elsewhere.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
MATCH (conversation:Conversation {space: $space})
WHERE conversation.subject_uid = $subject_uid
DETACH DELETE conversation
