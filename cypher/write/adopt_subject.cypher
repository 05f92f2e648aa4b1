// Begins the log of a subject of an earlier version, and enters it in that of its space; no row where somebody did.
//
// mode: write
// param $uid: unique key of the subject
// param $space: its space
// param $properties: its salt, its log, and the counts that reads are held against
// param $log: name of the log of the space
// param $leaf: digest of what was declared, for that log
// param $weight: what it adds to the sum of that log
// returns: place
MATCH (subject:Entity {uid: $uid})
SET subject.claimed = true
WITH subject
WHERE subject.log_id IS NULL
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH subject, log, coalesce(log.log_size, 0) + 1 AS place
SET log.log_id = $log
SET log.log_size = place
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
CREATE (entry:Entry {space: $space, log: $log, seq: place, leaf: $leaf, ends: []})
SET subject += $properties
SET subject.entry = place
RETURN place AS place
