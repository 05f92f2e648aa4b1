// Says of a subject whose chain ends as the import saw it what is still to come; gives 0 where it ends elsewhere.
//
// mode: write
// param $uid: unique key of the subject
// param $space: its space
// param $arriving: what is to come
// param $seq: sequence of the last event
// param $hash: its hash
// returns: awaited
OPTIONAL MATCH (subject:Entity {uid: $uid, space: $space})
WHERE coalesce(subject.chain_seq, 0) = $seq
  AND coalesce(subject.chain_hash, '') = $hash
FOREACH (found IN CASE WHEN subject IS NULL THEN [] ELSE [subject] END |
  SET found.arriving = $arriving
)
RETURN count(subject) AS awaited
