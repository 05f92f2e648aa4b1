// With which schemas, and which setup files, the store was prepared, and every relation it was ever prepared for.
//
// mode: read
// returns: version, setup, relations
MATCH (schema:SchemaVersion)
RETURN schema.version AS version, schema.setup AS setup, schema.relations AS relations
ORDER BY version
