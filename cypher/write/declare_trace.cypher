// Creates the trace of somebody who was erased unless its key exists, and enters it in the log of its space; without the
// labels of subjects, for it is none.
//
// mode: write
// param $uid: unique key of the trace
// param $space: its space
// param $properties: everything the node holds, key included
// param $log: name of the log of the space
// param $leaf: digest of what was declared, for that log
// param $weight: what it adds to the sum of that log
// param $importing: whether it comes with an import; while one has not ended, nobody else comes
// returns: uid
OPTIONAL MATCH (known:Entity {uid: $uid})
WITH known
WHERE known IS NULL
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH log
WHERE $importing OR log.arriving IS NULL
WITH log, coalesce(log.log_size, 0) + 1 AS place
SET log.log_id = $log
SET log.log_size = place
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
CREATE (entry:Entry {space: $space, log: $log, seq: place, leaf: $leaf, ends: []})
CREATE (trace:Entity)
SET trace = $properties
SET trace.entry = place
RETURN trace.uid AS uid
ORDER BY uid
