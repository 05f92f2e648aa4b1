// Everybody whom a space ever declared and who is there, traces among them, and the end of the space's log, in one row.
//
// mode: read
// param $space: the space
// param $type: type of subjects
// returns: log, everybody
OPTIONAL MATCH (log:Log {space: $space})
WITH properties(log) AS log
OPTIONAL MATCH (subject:Entity)
WHERE subject.space = $space AND (subject.type = $type OR subject.log_id IS NOT NULL)
RETURN log AS log, collect(properties(subject)) AS everybody
