// How many concepts of knowledge packs the store holds.
//
// mode: read
// returns: number
MATCH (concept:Entity)
WHERE concept.space = 'knowledge'
RETURN count(concept) AS number
