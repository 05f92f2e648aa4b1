// Records which version of the knowledge pack the store holds.
//
// mode: write
// param $name: name of the pack
// param $version: digest of its files
MERGE (pack:Pack {space: 'knowledge'})
SET pack.name = $name,
    pack.version = $version
