// Erases utterances.
//
// mode: write
// param $space: their space
// param $ids: their ids
UNWIND $ids AS id
MATCH (episode:Episode {space: $space, id: id})
DETACH DELETE episode
