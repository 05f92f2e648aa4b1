// Utterances of one space whose words hold others, letter by letter, in the order in which they were recorded.
//
// mode: read
// param $space: the space
// param $words: what the words hold
// param $limit: most utterances to give
// returns: episode
MATCH (episode:Episode)
WHERE episode.space = $space AND episode.text CONTAINS $words
WITH episode
ORDER BY episode.recorded_at, episode.id
LIMIT $limit
RETURN properties(episode) AS episode
