// Keys of the concepts of the knowledge pack, with the version that each came with.
//
// mode: read
// returns: uid, version
MATCH (concept:Entity)
WHERE concept.uid STARTS WITH 'knowledge/'
RETURN concept.uid AS uid, concept.pack_version AS version
ORDER BY uid
