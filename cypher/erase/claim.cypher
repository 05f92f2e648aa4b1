// Keeps other writers from a subject that is to be erased; gives the end of its log, or no row where its chain no longer
// ends as the writer saw.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $previous_seq: sequence of its last event
// param $previous_hash: the hash of that event
// returns: uid, entry, log, size, sum
MATCH (subject:Entity {uid: $subject_uid, space: $space})
WHERE coalesce(subject.chain_seq, 0) = $previous_seq
  AND coalesce(subject.chain_hash, '') = $previous_hash
SET subject.claimed = true
RETURN subject.uid AS uid,
       coalesce(subject.entry, 0) AS entry,
       subject.log_id AS log,
       coalesce(subject.log_size, 0) AS size,
       coalesce(subject.log_sum, 0) AS sum
