// Enters in the log of a space what an earlier version kept of conversations under an id.
//
// mode: write
// param $space: the space
// param $log: name of its log
// param $weight: what the entries add to the sum of that log
// param $rows: for each its `place` among them, `id`, `salt` and `leaf`
// name KIND: items, decisions or documents
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH log, coalesce(log.log_size, 0) AS logged
SET log.log_id = $log
SET log.log_size = logged + size($rows)
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
WITH logged
UNWIND $rows AS row
CREATE (entry:Entry {space: $space, log: $log, seq: logged + row.place, leaf: row.leaf, ends: []})
WITH logged, row
MATCH (one:KIND {space: $space, id: row.id})
SET one.entry = logged + row.place
SET one.salt = row.salt
