// Utterances of one space that stand at certain statuses, oldest first.
//
// mode: read
// param $space: the space
// param $statuses: the statuses
// param $limit: most utterances to give
// returns: episode
UNWIND $statuses AS status
MATCH (episode:Episode {status: status})
WHERE episode.space = $space
WITH episode
ORDER BY episode.recorded_at, episode.id
LIMIT $limit
RETURN properties(episode) AS episode
