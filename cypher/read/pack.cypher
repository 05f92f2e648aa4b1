// The knowledge pack that the store holds.
//
// mode: read
// returns: name, version
MATCH (pack:Pack {space: 'knowledge'})
RETURN pack.name AS name, pack.version AS version
ORDER BY name
