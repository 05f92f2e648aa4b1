// Every active allergy that is graded severe or not graded at all, with the words behind it and who said them.
// An allergy without a grade counts as severe until somebody says otherwise.
//
// title: Severe allergies
// mode: read
// returns: space, subject_id, name, object, severity, reaction, evidence, speaker, said_at, contradicted, fact_id

MATCH (subject:Entity)-[fact:HAS_ALLERGY_TO]->(target:Entity)
WHERE fact.status = 'active'
  AND NOT target:Scope
  AND coalesce(fact.severity, 'severe') = 'severe'
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       target.name AS object,
       coalesce(fact.severity, 'not graded') AS severity,
       coalesce(fact.reaction, '') AS reaction,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at AS said_at,
       fact.contradicted AS contradicted,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, object, fact_id
