// With which schema, and which setup files, the store was prepared last.
//
// mode: read
// returns: version, setup
MATCH (schema:SchemaVersion {id: 'schema'})
RETURN schema.version AS version, schema.setup AS setup
ORDER BY version
