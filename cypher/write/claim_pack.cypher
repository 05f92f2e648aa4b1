// The knowledge pack that the store holds, kept from being replaced by anybody else until this transaction ends.
//
// mode: write
// returns: name, version
MERGE (pack:Pack {space: 'knowledge'})
SET pack.claimed = coalesce(pack.claimed, 0) + 1
RETURN pack.name AS name, pack.version AS version
ORDER BY name
