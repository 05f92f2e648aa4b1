// Subjects of one type that an earlier version declared, which had no log.
//
// mode: read
// param $type: the type
// returns: uid, space, id, name
MATCH (subject:Entity)
WHERE subject.type = $type
  AND subject.space <> 'knowledge'
  AND subject.log_id IS NULL
RETURN subject.uid AS uid, subject.space AS space, subject.id AS id, subject.name AS name
ORDER BY uid
