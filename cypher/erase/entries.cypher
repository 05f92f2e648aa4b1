// Enters what an erasure leaves into the log of the subject, which is that of the trace from now on.
//
// mode: write
// param $space: space of the subject
// param $log: name of the log
// param $rows: for each entry `seq`, `leaf` and `ends`, places of the entries whose records are gone
// returns: written
UNWIND $rows AS row
CREATE (entry:Entry {space: $space, log: $log, seq: row.seq, leaf: row.leaf, ends: row.ends})
RETURN count(entry) AS written
