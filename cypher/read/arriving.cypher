// What an import brings that has not ended: the digest of its file, and of each subject what is to come; one row.
//
// mode: read
// param $space: the space
// returns: file, subjects
OPTIONAL MATCH (log:Log {space: $space})
WITH collect(log.arriving) AS files
OPTIONAL MATCH (subject:Entity)
WHERE subject.space = $space
  AND subject.arriving IS NOT NULL
RETURN files AS file, collect(CASE WHEN subject IS NULL THEN NULL ELSE [subject.uid, subject.arriving] END) AS subjects
