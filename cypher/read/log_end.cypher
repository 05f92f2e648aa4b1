// The end of the log of a space: how many entries it has, and their sum; no row without a log.
//
// mode: read
// param $space: the space
// returns: size, sum
MATCH (log:Log {space: $space})
WHERE log.log_size IS NOT NULL
RETURN log.log_size AS size, log.log_sum AS sum
ORDER BY size
