// Records which schema prepared the store last.
//
// mode: write
// param $name: name of the schema
// param $version: digest of its files
// param $setup: digest of the setup files that were run
// param $relations: names of all relations that this schema or an earlier one declared
MERGE (schema:SchemaVersion {id: 'schema'})
SET schema.space = 'knowledge',
    schema.name = $name,
    schema.version = $version,
    schema.setup = $setup,
    schema.relations = $relations
