// Concepts of the knowledge pack as they lie in the store, in one row.
//
// mode: read
// returns: concepts
MATCH (concept:Entity)
WHERE concept.uid STARTS WITH 'knowledge/'
RETURN collect(properties(concept)) AS concepts
