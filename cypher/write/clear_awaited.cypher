// Removes from the present state what one subject awaits; `await_open_episodes` brings back what is open.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[awaits:AWAITS]->(episode:Episode)
DELETE awaits
