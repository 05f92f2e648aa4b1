// Entries of some logs, each looked up by its place, as an exact key; one row for a log, in no order.
//
// mode: read
// param $space: space of the logs
// param $logs: for each log its `name`, and `size`, how far to look
// returns: log, entries
UNWIND $logs AS wanted
UNWIND range(1, wanted.size) AS place
MATCH (entry:Entry {log: wanted.name, seq: place})
WHERE entry.space = $space
RETURN wanted.name AS log, collect([entry.seq, entry.leaf, entry.ends]) AS entries
