// Things that nothing refers to: subjects and words without any tie but to what they are, utterances about nobody.
// Concepts of the knowledge pack may stand alone and do not count.
//
// title: Orphans
// mode: read
// returns: space, kind, id, name

MATCH (thing)
WHERE (thing:Entity OR thing:Episode OR thing:FactEvent OR thing:Recall)
  AND thing.space <> 'knowledge'
OPTIONAL MATCH (thing)-[tie]-()
WITH thing, sum(CASE WHEN tie IS NULL OR type(tie) = 'IS_A' THEN 0 ELSE 1 END) AS ties
WHERE ties = 0
RETURN thing.space AS space,
       CASE
         WHEN thing:Entity THEN 'entity'
         WHEN thing:Episode THEN 'utterance'
         WHEN thing:FactEvent THEN 'event'
         ELSE 'receipt'
       END AS kind,
       thing.id AS id,
       coalesce(thing.name, '') AS name
ORDER BY space, kind, id
