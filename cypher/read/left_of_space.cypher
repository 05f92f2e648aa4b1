// A row where the first thing that a space's log tells of is a declaration, and nobody is there.
//
// mode: read
// param $space: the space
// param $type: the type of subjects that is asked for first
// returns: left
MATCH (entry:Entry {log: 'space/' + $space, seq: 1})
WHERE entry.leaf STARTS WITH 'subject:'
OPTIONAL MATCH (known:Entity {space: $space, type: $type})
WITH entry, known
LIMIT 1
WHERE known IS NULL
OPTIONAL MATCH (anybody:Entity)
WHERE anybody.space = $space
  AND anybody.log_id IS NOT NULL
WITH entry, anybody
LIMIT 1
WHERE anybody IS NULL
RETURN entry.seq AS left
ORDER BY left
