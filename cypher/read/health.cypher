// How many utterances are open over all spaces, and which schema and knowledge pack the store was prepared with.
//
// mode: read
// param $statuses: statuses of an open episode
// returns: pending, schema_version, pack_version
UNWIND $statuses AS status
OPTIONAL MATCH (episode:Episode {status: status})
WITH count(episode) AS pending
OPTIONAL MATCH (schema:SchemaVersion {id: 'schema'})
OPTIONAL MATCH (pack:Pack {space: 'knowledge'})
RETURN pending AS pending, schema.version AS schema_version, pack.version AS pack_version
ORDER BY pending
