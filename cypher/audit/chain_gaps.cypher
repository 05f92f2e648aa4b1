// Subjects whose ledger does not count through from 1 to its end: something was lost or removed.
// `r-memory verify` recomputes every hash as well.
//
// title: Gaps in the ledger
// mode: read
// returns: space, subject_id, name, events, first_seq, last_seq, expected

MATCH (subject:Entity)
WHERE subject.chain_seq IS NOT NULL
OPTIONAL MATCH (event:FactEvent)-[about:ABOUT]->(subject)
WITH subject,
     count(about) AS events,
     coalesce(min(event.seq), 0) AS first_seq,
     coalesce(max(event.seq), 0) AS last_seq
WHERE events <> subject.chain_seq
   OR last_seq <> subject.chain_seq
   OR first_seq > 1
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       events,
       first_seq,
       last_seq,
       subject.chain_seq AS expected
ORDER BY space, subject_id
