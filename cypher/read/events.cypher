// The whole chain of one subject by sequence, with objects as named now.
//
// mode: read
// param $subject_uid: unique key of the subject
// returns: seq, event, object
MATCH (subject:Entity {uid: $subject_uid})<-[about:ABOUT]-(event:FactEvent)
OPTIONAL MATCH (object:Entity {uid: event.object_uid})
RETURN event.seq AS seq, properties(event) AS event, properties(object) AS object
ORDER BY seq
