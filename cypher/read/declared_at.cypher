// How many of some places in the log of a space are a subject's, who was declared or erased there; one row.
//
// mode: read
// param $log: name of the log
// param $places: the places
// returns: number
UNWIND $places AS place
OPTIONAL MATCH (entry:Entry {log: $log, seq: place})
RETURN count(CASE WHEN entry.leaf STARTS WITH 'subject:' THEN entry END) AS number
