// Ids of facts that start so, over all spaces: nothing but the ids and whose they are.
//
// mode: read
// param $start: the beginning of the id
// returns: fact_id, space
MATCH (event:FactEvent)
WHERE event.fact_id STARTS WITH $start
RETURN DISTINCT event.fact_id AS fact_id, event.space AS space
ORDER BY fact_id, space
