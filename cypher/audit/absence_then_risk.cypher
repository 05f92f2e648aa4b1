// Somebody said "none" of a whole scope, yet a fact of the same kind stands: one of the two is wrong.
//
// title: Absences that a fact contradicts
// mode: read
// returns: space, subject_id, name, relation, scope, none_said_at, none_said_by, object, status, evidence, speaker, said_at, fact_id

MATCH (subject:Entity)-[absence]->(covered:Scope)
WHERE absence.status = 'negated'
MATCH (subject)-[fact]->(target:Entity)
WHERE type(fact) = type(absence)
  AND fact.fact_id <> absence.fact_id
  AND fact.status IN ['active', 'unconfirmed']
  AND NOT target:Scope
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       covered.name AS scope,
       absence.said_at_iso AS none_said_at,
       absence.speaker AS none_said_by,
       target.name AS object,
       fact.status AS status,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, scope, object, fact_id
