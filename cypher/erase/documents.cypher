// Erases what is known of documents about one subject.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $log: name of the log of the space
// param $leaf: digest for that log
// param $weight: what it adds to the sum of that log
// returns: erased
MATCH (document:Document {space: $space})
WHERE document.subject_uid = $subject_uid
WITH collect(document) AS documents, collect(document.entry) AS ends
WHERE size(documents) > 0
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH documents, ends, log, coalesce(log.log_size, 0) + 1 AS logged
CREATE (entry:Entry {space: $space, log: $log, seq: logged, leaf: $leaf, ends: ends})
SET log.log_id = $log
SET log.log_size = logged
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
FOREACH (document IN documents | DETACH DELETE document)
RETURN size(documents) AS erased
