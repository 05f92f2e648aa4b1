// Records which schema prepared the store last.
//
// mode: write
// param $name: name of the schema
// param $version: digest of its files
// param $setup: digest of the setup files that were run
MERGE (schema:SchemaVersion {id: 'schema'})
SET schema.space = 'knowledge',
    schema.name = $name,
    schema.version = $version,
    schema.setup = $setup
