// Entries of some logs, each looked up by its place, as an exact key, behind the name of its log and before the number
// of its properties; one row.
//
// mode: read
// param $space: space of the logs
// param $logs: for each log its `name`, and `size`, how far to look
// returns: entries
UNWIND $logs AS wanted
UNWIND range(1, wanted.size) AS place
MATCH (entry:Entry {log: wanted.name, seq: place})
WHERE entry.space = $space
RETURN collect([wanted.name, entry.seq, entry.leaf, entry.ends, size(keys(entry))]) AS entries
