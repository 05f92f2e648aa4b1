// Ends a chain that was erased with the event that says so.
//
// mode: write
// param $trace_uid: unique key of the trace
// param $space: its space
// param $event: everything that the event holds
// returns: id
MATCH (trace:Entity {uid: $trace_uid, space: $space})
CREATE (event:FactEvent)
SET event = $event
CREATE (event)-[about:ABOUT]->(trace)
SET about.space = $space
RETURN event.id AS id
