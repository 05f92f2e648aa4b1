// One utterance.
//
// mode: read
// param $space: its space
// param $id: its id
// returns: episode
MATCH (episode:Episode {space: $space, id: $id})
RETURN properties(episode) AS episode
ORDER BY episode.id
