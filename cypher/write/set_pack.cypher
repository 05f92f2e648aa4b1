// Records which version of a knowledge pack the store holds; each pack has a space of its own.
//
// An earlier version kept one pack in the space `knowledge`: what it says of this one is over.
//
// mode: write
// param $name: name of the pack
// param $version: digest of its files
MERGE (pack:Pack {space: 'knowledge/' + $name})
SET pack.name = $name,
    pack.version = $version
WITH pack
OPTIONAL MATCH (former:Pack {space: 'knowledge', name: $name})
DELETE former
