// Active facts that no recall ever showed to anybody.
//
// title: Active facts never shown
// mode: read
// returns: space, subject_id, name, relation, object, severity, first_recorded_at, days_known, fact_id

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.status = 'active'
OPTIONAL MATCH (recall:Recall)-[showed:SHOWED]->(subject)
WHERE fact.fact_id IN recall.fact_ids
WITH subject, fact, target, count(showed) AS times_shown
WHERE times_shown = 0
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       coalesce(fact.severity, '') AS severity,
       fact.first_recorded_at_iso AS first_recorded_at,
       (timestamp() - fact.first_recorded_at) / 86400000 AS days_known,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, object, fact_id
