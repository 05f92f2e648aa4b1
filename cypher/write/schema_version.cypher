// Records that the store was prepared for a schema; several may share it.
//
// An earlier version recorded the last one only, under the id `schema`: what it says of this one is over.
//
// mode: write
// param $name: name of the schema
// param $version: digest of its files
// param $setup: digest of the setup files that were run
// param $format: number of the format of the store
// param $relations: names of all relations that this schema or an earlier one declared
MERGE (schema:SchemaVersion {id: 'schema/' + $name})
SET schema.space = 'knowledge',
    schema.name = $name,
    schema.version = $version,
    schema.setup = $setup,
    schema.relations = $relations,
    schema.format = $format
WITH schema
OPTIONAL MATCH (former:SchemaVersion {id: 'schema', name: $name})
DELETE former
