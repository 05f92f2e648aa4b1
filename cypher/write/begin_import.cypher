// Says that a file is being imported into a space.
//
// mode: write
// param $space: the space
// param $file: digest of the file
MERGE (log:Log {space: $space})
SET log.arriving = $file
