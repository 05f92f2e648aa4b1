// Records how far an utterance got; while it is open, its subject awaits it. Gives 0, and writes nothing, where the
// utterance is unknown, where a person settled it otherwise first, or where it is not in one of the wanted states.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $id: id of the episode
// param $stands: states of which the utterance must be in one; an empty list for any
// param $properties: status, language and the sentences for review
// param $by: the person who settles it; empty for a reader
// param $because: that person's reason
// param $at: when that was; 0 for a reader
// param $awaits: what the relationship of an open episode holds, in a list; an empty list for a settled one
// param $leaf: digest of the properties, for the log
// param $weight: what it adds to the sum of the log
// returns: settled
MATCH (subject:Entity {uid: $subject_uid, space: $space})
MATCH (episode:Episode {space: $space, id: $id})
SET subject.claimed = true
WITH subject, episode, coalesce(subject.log_size, 0) + 1 AS place
WHERE (coalesce(episode.settled_by, '') = ''
    OR (episode.settled_by = $by AND coalesce(episode.settled_because, '') = $because AND coalesce(episode.settled_at, 0) = $at))
  AND (size($stands) = 0 OR episode.status IN $stands)
CREATE (entry:Entry {space: $space, log: subject.log_id, seq: place, leaf: $leaf, ends: [former IN [coalesce(episode.settled_entry, 0)] WHERE former > 0]})
SET subject.log_size = place
SET subject.log_sum = (coalesce(subject.log_sum, 0) + $weight) % 2305843009213693952
SET episode += $properties
SET episode.settled_entry = place
WITH subject, episode
OPTIONAL MATCH (subject)-[awaits:AWAITS]->(episode)
SET subject.awaiting = coalesce(subject.awaiting, 0) + size($awaits) - CASE WHEN awaits IS NULL THEN 0 ELSE 1 END
FOREACH (ended IN CASE WHEN awaits IS NULL OR size($awaits) > 0 THEN [] ELSE [awaits] END |
  DELETE ended
)
FOREACH (open IN CASE WHEN awaits IS NULL THEN $awaits ELSE [] END |
  CREATE (subject)-[again:AWAITS]->(episode)
  SET again = open
)
RETURN count(episode) AS settled
