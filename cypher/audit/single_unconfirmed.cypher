// Facts known from one unconfirmed mention only: ask about these first.
//
// title: Facts from one unconfirmed mention
// mode: read
// returns: space, subject_id, name, relation, object, evidence, speaker, said_at, days_ago, flags, fact_id

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.status = 'unconfirmed'
  AND fact.observations = 1
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       (timestamp() - fact.said_at) / 86400000 AS days_ago,
       fact.flags AS flags,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, object, fact_id
