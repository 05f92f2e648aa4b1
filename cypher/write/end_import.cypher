// Says that no file is being imported into a space any more.
//
// mode: write
// param $space: the space
MATCH (log:Log {space: $space})
REMOVE log.arriving
