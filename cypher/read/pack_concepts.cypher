// Concepts of one knowledge pack as they lie in the store, in one row.
//
// mode: read
// param $name: name of the pack
// param $uids: keys of the concepts that it should have
// returns: concepts
MATCH (concept:Entity)
WHERE concept.uid STARTS WITH 'knowledge/'
  AND (concept.pack = $name OR $name IN coalesce(concept.packs, []) OR concept.uid IN $uids)
RETURN collect(properties(concept)) AS concepts
