// Says that all has come that an import brings about a subject.
//
// mode: write
// param $uid: unique key of the subject
// param $space: its space
MATCH (subject:Entity {uid: $uid, space: $space})
REMOVE subject.arriving
