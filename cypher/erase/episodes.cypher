// Ids of everything that was said about one subject.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// returns: id
MATCH (subject:Entity {uid: $subject_uid, space: $space})<-[concerns:CONCERNS]-(episode:Episode)
RETURN episode.id AS id
ORDER BY id
