// Lets one subject await each of its open episodes.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $statuses: statuses of an open episode
// param $awaits: what the relationship holds
MATCH (episode:Episode)-[concerns:CONCERNS]->(subject:Entity {uid: $subject_uid, space: $space})
WHERE episode.status IN $statuses
CREATE (subject)-[awaits:AWAITS]->(episode)
SET awaits = $awaits
