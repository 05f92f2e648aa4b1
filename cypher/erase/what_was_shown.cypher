// Leaves of each receipt that something was shown, when and to whom.
//
// mode: write
// param $trace_uid: unique key of the trace
// param $space: its space
// param $rows: everything that stays of each receipt
// returns: erased
MATCH (trace:Entity {uid: $trace_uid, space: $space})
UNWIND $rows AS row
MATCH (receipt:Recall {space: $space, id: row.id})
SET receipt = row
CREATE (receipt)-[showed:SHOWED]->(trace)
SET showed.space = $space
RETURN count(receipt) AS erased
