// Counts that a reading of an utterance begins, before it does; settling the utterance sets the count back.
//
// mode: write
// param $space: space of the utterance
// param $id: its id
// param $attempt: the number of this reading
// returns: begun
MATCH (episode:Episode {space: $space, id: $id})
SET episode.attempts = $attempt
RETURN count(episode) AS begun
