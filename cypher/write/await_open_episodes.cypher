// Lets one subject await each of its open episodes, and counts them.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $statuses: statuses of an open episode
// param $awaits: what the relationship holds
MATCH (subject:Entity {uid: $subject_uid, space: $space})<-[concerns:CONCERNS]-(episode:Episode)
WHERE episode.status IN $statuses
WITH subject, collect(episode) AS open
SET subject.awaiting = size(open)
FOREACH (episode IN open |
  CREATE (subject)-[awaits:AWAITS]->(episode)
  SET awaits = $awaits
)
