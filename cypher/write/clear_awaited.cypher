// Removes from the present state what one subject awaits, and says how many facts it is to have along each relation;
// `await_open_episodes` brings back what is open.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $held: how many facts, as text
MATCH (subject:Entity {uid: $subject_uid, space: $space})
SET subject.awaiting = 0
SET subject.held = $held
WITH subject
MATCH (subject)-[awaits:AWAITS]->(episode:Episode)
DELETE awaits
