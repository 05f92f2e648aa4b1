// Conflicts of interest that are believed or possible, and for which no waiver is recorded.
//
// schema: law
// title: Conflicts without a waiver
// mode: read
// returns: space, subject_id, name, party, status, evidence, speaker, said_at, fact_id

MATCH (subject:Entity)-[conflict:HAS_CONFLICT_WITH]->(party:Entity)
OPTIONAL MATCH (subject)-[waiver:HAS_WAIVED_CONFLICT]->(party)
WITH subject, conflict, party, sum(CASE WHEN waiver.status = 'active' THEN 1 ELSE 0 END) AS waivers
WHERE conflict.status IN ['active', 'unconfirmed']
  AND NOT party:Scope
  AND waivers = 0
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       party.name AS party,
       conflict.status AS status,
       conflict.evidence AS evidence,
       conflict.speaker AS speaker,
       conflict.said_at_iso AS said_at,
       conflict.fact_id AS fact_id
ORDER BY space, subject_id, party, fact_id
