// Securities that a client holds of a company whose insider the client is, by the issuers of the knowledge pack.
//
// schema: finance
// title: Insiders who hold the security
// mode: read
// returns: space, subject_id, name, company, security, status, evidence, fact_id

MATCH (subject:Entity)-[insider:IS_INSIDER_OF]->(company:Entity)<-[:ISSUED_BY]-(security:Entity)<-[held:HOLDS]-(subject)
WHERE insider.status IN ['active', 'unconfirmed']
  AND held.status IN ['active', 'unconfirmed']
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       company.name AS company,
       security.name AS security,
       insider.status AS status,
       insider.evidence AS evidence,
       insider.fact_id AS fact_id
ORDER BY space, subject_id, company, security, fact_id
