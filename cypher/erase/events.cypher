// Leaves of each event what an erasure leaves of it, in the chain of the trace.
//
// mode: write
// param $trace_uid: unique key of the trace
// param $space: its space
// param $rows: for each event `chain_key`, where it stood, and `event`, everything that stays
// returns: erased
MATCH (trace:Entity {uid: $trace_uid, space: $space})
UNWIND $rows AS row
MATCH (event:FactEvent {chain_key: row.chain_key})
SET event = row.event
CREATE (event)-[about:ABOUT]->(trace)
SET about.space = $space
RETURN count(event) AS erased
