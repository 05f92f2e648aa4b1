// Number of the newest change in the stream of one space; no row before the first.
//
// mode: read
// param $space: space of the stream
// returns: latest
MATCH (stream:Stream {space: $space})
RETURN coalesce(stream.changes, 0) AS latest
ORDER BY latest
