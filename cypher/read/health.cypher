// How many utterances are open over all spaces, and which schemas and knowledge packs the store was prepared with.
//
// mode: read
// param $statuses: statuses of an open episode
// returns: pending, schemas, packs
UNWIND $statuses AS status
OPTIONAL MATCH (episode:Episode {status: status})
WITH count(episode) AS pending
OPTIONAL MATCH (schema:SchemaVersion)
WITH pending, collect([schema.name, schema.version]) AS schemas
OPTIONAL MATCH (pack:Pack)
RETURN pending AS pending, schemas AS schemas, collect([pack.name, pack.version]) AS packs
ORDER BY pending
