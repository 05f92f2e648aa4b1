// Stores how far a document is read, in place of what was stored before.
//
// mode: write
// param $space: space of the document
// param $id: its id
// param $properties: everything the document holds
// param $log: name of the log of the space
// param $leaf: digest for that log
// param $weight: what it adds to the sum of that log
// returns: id
MERGE (document:Document {space: $space, id: $id})
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH document, log, coalesce(log.log_size, 0) + 1 AS logged
CREATE (entry:Entry {space: $space, log: $log, seq: logged, leaf: $leaf, ends: [former IN [coalesce(document.entry, 0)] WHERE former > 0]})
SET log.log_id = $log
SET log.log_size = logged
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
SET document = $properties
SET document.entry = logged
RETURN document.id AS id
