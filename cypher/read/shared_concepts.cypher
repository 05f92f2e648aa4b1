// Concepts of some keys that other packs hold, as they lie in the store, in one row.
//
// mode: read
// param $name: name of the own pack
// param $uids: keys of concepts
// returns: concepts
UNWIND $uids AS uid
MATCH (concept:Entity {uid: uid})
WHERE coalesce(concept.pack, $name) <> $name
   OR concept.packs IS NOT NULL
RETURN collect(properties(concept)) AS concepts
