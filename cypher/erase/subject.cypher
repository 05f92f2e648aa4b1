// Erases a subject with everything that ties anything to it, and leaves its trace.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $trace: everything that the trace holds, the end of its chain included
MATCH (subject:Entity {uid: $subject_uid, space: $space})
DETACH DELETE subject
CREATE (trace:Entity)
SET trace = $trace
