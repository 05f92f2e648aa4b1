// Erases what is known of documents about one subject.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// returns: erased
MATCH (document:Document {space: $space})
WHERE document.subject_uid = $subject_uid
WITH collect(document) AS documents
FOREACH (document IN documents | DETACH DELETE document)
RETURN size(documents) AS erased
