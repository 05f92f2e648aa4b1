// What the store holds of a knowledge pack, kept from being replaced by anybody else until this transaction ends.
//
// mode: write
// param $name: name of the pack
// returns: name, version
MERGE (pack:Pack {space: 'knowledge/' + $name})
SET pack.claimed = coalesce(pack.claimed, 0) + 1
RETURN pack.name AS name, pack.version AS version
ORDER BY name
