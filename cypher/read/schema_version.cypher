// With which schemas, and which setup files, the store was prepared, every relation it was ever prepared for, and its
// format; none stands there of the first one.
//
// mode: read
// returns: version, setup, relations, format
MATCH (schema:SchemaVersion)
RETURN schema.version AS version, schema.setup AS setup, schema.relations AS relations, schema.format AS format
ORDER BY version
