// Lets events of some subjects lead to the words that they rest on, where those are there and the way is not.
//
// What was moved from somebody else may have been stored, or put back, before the words.
//
// mode: write
// param $uids: unique keys of the subjects
UNWIND $uids AS uid
MATCH (subject:Entity {uid: uid})<-[about:ABOUT]-(event:FactEvent)
WHERE NOT (event)-[:EVIDENCED_BY]->(:Episode)
WITH event
MATCH (words:Episode {space: event.space, id: coalesce(event.episode_id, '')})
CREATE (event)-[:EVIDENCED_BY {space: event.space}]->(words)
