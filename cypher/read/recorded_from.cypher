// Events that rest on one utterance by sequence, with objects as named now.
//
// mode: read
// param $space: the space
// param $episode_id: id of the utterance
// returns: seq, event, object
MATCH (episode:Episode {space: $space, id: $episode_id})<-[evidenced:EVIDENCED_BY]-(event:FactEvent)
OPTIONAL MATCH (object:Entity {uid: event.object_uid})
RETURN event.seq AS seq, properties(event) AS event, properties(object) AS object
ORDER BY seq
