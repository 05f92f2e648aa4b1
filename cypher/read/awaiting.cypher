// How many open utterances each subject of a space awaits, of those who await any.
//
// mode: read
// param $space: the space
// param $statuses: the open statuses
// returns: subject_uid, waits
UNWIND $statuses AS status
MATCH (episode:Episode {status: status})
WHERE episode.space = $space
RETURN episode.subject_uid AS subject_uid, count(episode) AS waits
ORDER BY subject_uid
