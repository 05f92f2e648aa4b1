// Spaces that know somebody of one type and have no log: a version that kept none wrote them.
//
// mode: read
// param $type: the type
// returns: space
MATCH (subject:Entity)
WHERE subject.type = $type
  AND subject.space <> 'knowledge'
  AND subject.log_id IS NULL
OPTIONAL MATCH (log:Log {space: subject.space})
WITH subject, log
WHERE log IS NULL
RETURN DISTINCT subject.space AS space
ORDER BY space
