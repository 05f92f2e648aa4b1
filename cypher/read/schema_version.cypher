// With which schema, and which setup files, the store was prepared last, and every relation it was ever prepared for.
//
// mode: read
// returns: version, setup, relations
MATCH (schema:SchemaVersion {id: 'schema'})
RETURN schema.version AS version, schema.setup AS setup, schema.relations AS relations
ORDER BY version
