// The version of a knowledge pack that the store holds.
//
// mode: read
// param $name: name of the pack
// returns: name, version
MATCH (pack:Pack {space: 'knowledge/' + $name})
RETURN pack.name AS name, pack.version AS version
ORDER BY name
