// Records how far an utterance got; while it is open, its subject awaits it.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $id: id of the episode
// param $properties: status, language and the sentences for review
// param $awaits: what the relationship of an open episode holds, in a list; an empty list for a settled one
// returns: settled
MATCH (subject:Entity {uid: $subject_uid, space: $space})
MATCH (episode:Episode {space: $space, id: $id})
SET subject.claimed = true
SET episode += $properties
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
