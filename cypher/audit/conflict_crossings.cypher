// Parties that one client stands against while the firm acts for them, or for what they are a kind of, in another
// client's file.
//
// schema: law
// title: Adverse here, client there
// mode: read
// returns: space, subject_id, name, party, status, acted_in_id, acted_in_name, evidence, fact_id

MATCH (subject:Entity)-[conflict:HAS_CONFLICT_WITH]->(party:Entity)
MATCH (party)-[:IS_A*0..]->(kind:Entity)<-[acting:FIRM_ACTS_FOR]-(other:Entity)
WHERE conflict.status IN ['active', 'unconfirmed']
  AND acting.status IN ['active', 'unconfirmed']
  AND other.space = subject.space
  AND other.uid <> subject.uid
RETURN DISTINCT subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       party.name AS party,
       conflict.status AS status,
       other.id AS acted_in_id,
       other.name AS acted_in_name,
       conflict.evidence AS evidence,
       conflict.fact_id AS fact_id
ORDER BY space, party, subject_id, acted_in_id, fact_id
