// What stands beside subjects about the facts that there must be, and those facts as they lie in the store: a page of
// subjects, in the order of their keys.
//
// mode: read
// param $after: key of the last subject of the page before; empty for the first page
// param $limit: how many subjects
// returns: uid, held, facts
MATCH (subject:Entity)
WHERE subject.uid > $after
  AND subject.held <> ''
WITH subject
ORDER BY subject.uid
LIMIT $limit
OPTIONAL MATCH (subject)-[fact]->(object:Entity)
WHERE fact.fact_id IS NOT NULL
RETURN subject.uid AS uid,
       subject.held AS held,
       collect([type(fact), fact.fact_id, object.uid, fact.last_seq]) AS facts
ORDER BY uid
