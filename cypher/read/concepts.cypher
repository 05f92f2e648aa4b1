// Keys of the concepts of one knowledge pack, with the version that each came with.
//
// An earlier version kept one pack only, and did not say at its concepts which.
//
// mode: read
// param $name: name of the pack
// returns: uid, version
OPTIONAL MATCH (former:Pack {space: 'knowledge', name: $name})
WITH count(former) AS alone
MATCH (concept:Entity)
WHERE concept.uid STARTS WITH 'knowledge/'
  AND (concept.pack = $name OR $name IN coalesce(concept.packs, []) OR (concept.pack IS NULL AND alone > 0))
RETURN concept.uid AS uid, concept.pack_version AS version
ORDER BY uid
