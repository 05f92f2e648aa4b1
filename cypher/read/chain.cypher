// The end of one subject's chain, and the events of some facts with their objects as named now.
//
// Beside a writer who is just done the end may be newer than the events; `write/append` refuses what follows from that.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $fact_ids: ids of the facts; a list of one empty text asks for the end alone
// returns: head, event, object
MATCH (subject:Entity {uid: $subject_uid})
UNWIND $fact_ids AS fact_id
OPTIONAL MATCH (event:FactEvent {fact_id: fact_id})
WHERE event.subject_uid = $subject_uid
OPTIONAL MATCH (object:Entity {uid: coalesce(event.object_uid, '')})
RETURN properties(subject) AS head, properties(event) AS event, properties(object) AS object
ORDER BY event.seq
