// Erases a subject with everything that ties anything to it, and leaves its trace, in its place in the log of the space.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $trace: everything that the trace holds, the ends of its chain and of its log included
// param $log: name of the log of the space
// param $entry: place in it where the subject was declared
// param $leaf: digest of the trace, for that log
// param $weight: what it adds to the sum of that log
MATCH (subject:Entity {uid: $subject_uid, space: $space})
DETACH DELETE subject
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH log, coalesce(log.log_size, 0) + 1 AS place
SET log.log_id = $log
SET log.log_size = place
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
CREATE (entry:Entry {space: $space, log: $log, seq: place, leaf: $leaf, ends: [$entry]})
CREATE (trace:Entity)
SET trace = $trace
SET trace.entry = place
