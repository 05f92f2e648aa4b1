// Facts that somebody asserted and somebody denied, with the words behind the status that stands.
// The risk is shown all the same; `r-memory history FACT` tells who said what.
//
// title: Contradicted facts
// mode: read
// returns: space, subject_id, name, relation, object, status, evidence, speaker, said_at, observations, fact_id

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.contradicted = true
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       type(fact) AS relation,
       target.name AS object,
       fact.status AS status,
       fact.evidence AS evidence,
       fact.speaker AS speaker,
       fact.said_at_iso AS said_at,
       fact.observations AS observations,
       fact.fact_id AS fact_id
ORDER BY space, subject_id, relation, object, fact_id
