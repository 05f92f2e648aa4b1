// Events of the facts whose id starts so by sequence, with objects as named now.
//
// mode: read
// param $space: the space
// param $fact_id: the id, or its beginning
// returns: seq, event, object
MATCH (event:FactEvent)
WHERE event.fact_id STARTS WITH $fact_id
  AND event.space = $space
OPTIONAL MATCH (object:Entity {uid: event.object_uid})
RETURN event.seq AS seq, properties(event) AS event, properties(object) AS object
ORDER BY seq, event.subject_uid
