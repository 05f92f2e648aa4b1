// Every active allergy that nobody graded mild or moderate, with the words behind it and who said them.
// An allergy without a grade counts as severe until somebody says otherwise.
//
// schema: clinical
// title: Severe allergies
// mode: read
// returns: space, subject_id, name, relation, object, is_a, severity, reaction, evidence, speaker, said_at, contradicted, fact_id

MATCH (subject:Entity)-[fact:HAS_ALLERGY_TO|HAS_CONTRAST_ALLERGY]->(target:Entity)
WHERE fact.status = 'active'
  AND NOT target:Scope
  AND NOT coalesce(fact.severity, '') IN ['mild', 'moderate']
OPTIONAL MATCH (target)-[:IS_A*1..]->(kind:Entity)
WITH subject, fact, target, kind
ORDER BY kind.name
WITH subject, fact, target, collect(DISTINCT kind.name) AS kinds
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       kinds AS is_a,
       coalesce(fact.severity, 'not graded') AS severity,
       coalesce(fact.reaction, '') AS reaction,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       fact.contradicted AS contradicted,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, object, fact_id
