// Events of one fact by sequence, with its object as named now.
//
// mode: read
// param $space: the space
// param $fact_id: the whole id
// returns: seq, event, object
MATCH (event:FactEvent {fact_id: $fact_id, space: $space})
OPTIONAL MATCH (object:Entity {uid: event.object_uid})
RETURN event.seq AS seq, properties(event) AS event, properties(object) AS object
ORDER BY seq
