// Statements of absence ("no known allergies") that are older than a year: ask again.
// Another age: change the number of days in the first clause.
//
// title: Old statements of absence
// mode: read
// returns: space, subject_id, name, relation, scope, evidence, speaker, said_at, days_ago, fact_id

WITH 365 AS days
MATCH (subject:Entity)-[fact]->(target:Scope)
WHERE fact.status = 'negated'
  AND fact.said_at < timestamp() - days * 86400000
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS scope,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       (timestamp() - fact.said_at) / 86400000 AS days_ago,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, scope, fact_id
