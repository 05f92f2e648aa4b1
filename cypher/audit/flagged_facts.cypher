// Facts with a reservation: misspelt, taken from a pronoun, joined from two sentences, read differently by the rules.
//
// title: Facts with reservations
// mode: read
// returns: space, subject_id, name, relation, object, status, flags, evidence, speaker, said_at, fact_id

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.status IN ['active', 'unconfirmed']
  AND size(coalesce(fact.flags, [])) > 0
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       fact.status AS status,
       fact.flags AS flags,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, object, fact_id
