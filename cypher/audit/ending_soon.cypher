// Active facts whose validity ended within the last 30 days or ends within the next 30, the first to end on top.
// Deadlines and mandates in law, limits in finance, courses of treatment in medicine.
// Another window: change the number of days in the first clause.
//
// title: Facts that end soon or just ended
// mode: read
// returns: space, subject_id, name, relation, object, valid_to, days_left, evidence, fact_id

WITH 30 AS days
MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.status IN ['active', 'unconfirmed']
  AND fact.valid_to > timestamp() - days * 86400000
  AND fact.valid_to < timestamp() + days * 86400000
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       fact.valid_to_iso AS valid_to,
       (fact.valid_to - timestamp()) / 86400000 AS days_left,
       fact.evidence AS evidence,
       fact.fact_id AS fact_id
ORDER BY space, valid_to, subject_id, fact_id
