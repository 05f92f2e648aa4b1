// Limits of every mandate, with how many are recorded for the same thing: more than one needs a decision.
//
// schema: finance
// title: Mandate limits and their rivals
// mode: read
// returns: space, subject_id, name, object, max, unit, limits, status, evidence, fact_id

MATCH (subject:Entity)-[fact:RISK_LIMIT]->(target:Entity)
MATCH (subject)-[any_limit:RISK_LIMIT]->(target)
WHERE fact.status IN ['active', 'unconfirmed']
  AND any_limit.status IN ['active', 'unconfirmed']
WITH subject, fact, target, count(any_limit) AS limits
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       target.name AS object,
       fact.max AS max,
       fact.unit AS unit,
       limits AS limits,
       fact.status AS status,
       fact.evidence AS evidence,
       fact.fact_id AS fact_id
ORDER BY space, limits DESC, subject_id, object, max, fact_id
