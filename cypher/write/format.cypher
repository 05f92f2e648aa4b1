// Records the format that the store has now, for every schema that it was prepared for.
//
// mode: write
// param $format: number of the format
MATCH (schema:SchemaVersion)
SET schema.format = $format
