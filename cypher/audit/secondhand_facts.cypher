// Facts whose words were submitted by a client program, read by a model, or not said by the user.
//
// title: Facts from clients, models and documents
// mode: read
// returns: space, subject_id, name, relation, object, status, route, extractor, role, evidence, speaker, said_at, fact_id

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.fact_id IS NOT NULL
OPTIONAL MATCH (subject)<-[concerns:CONCERNS]-(episode:Episode)
WHERE episode.id = fact.episode_id
WITH subject, fact, target, max(episode.role) AS role
WHERE fact.route IN ['client', 'model']
   OR coalesce(role, 'user') <> 'user'
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       fact.status AS status,
       fact.route AS route,
       fact.extractor AS extractor,
       coalesce(role, '') AS role,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, object, fact_id
