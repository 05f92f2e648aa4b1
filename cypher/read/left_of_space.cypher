// A row where the first thing that a space's log tells of is a declaration, and nobody is there; and one where what the
// store was prepared with is gone.
//
// mode: read
// param $space: the space
// param $log: name of its log
// returns: left
MATCH (entry:Entry {log: $log, seq: 1})
WHERE entry.leaf STARTS WITH 'subject:'
OPTIONAL MATCH (anybody:Entity)
WHERE anybody.space = $space
  AND anybody.log_id IS NOT NULL
WITH entry, anybody
LIMIT 1
WHERE anybody IS NULL
RETURN entry.log AS left
ORDER BY left
UNION ALL
UNWIND ['schema'] AS left
OPTIONAL MATCH (schema:SchemaVersion)
WITH left, schema
LIMIT 1
WHERE schema IS NULL
RETURN left AS left
ORDER BY left
