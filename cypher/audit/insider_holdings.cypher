// Securities that a client holds of a company whose insider the client is, by the issuers of the knowledge pack, and
// holdings of the company itself, as it was said.
//
// schema: finance
// title: Insiders who hold the security
// mode: read
// returns: space, subject_id, name, company, security, status, evidence, fact_id

MATCH (subject:Entity)-[insider:IS_INSIDER_OF]->(company:Entity)
MATCH (subject)-[held:HOLDS]->(security:Entity)
MATCH (security)-[:IS_A*0..]->(kind:Entity)
OPTIONAL MATCH (kind)-[issued:ISSUED_BY]->(company)
WITH subject, insider, company, held, security, kind, issued
WHERE insider.status IN ['active', 'unconfirmed']
  AND held.status IN ['active', 'unconfirmed']
  AND (issued IS NOT NULL OR kind.uid = company.uid)
RETURN DISTINCT subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       company.name AS company,
       security.name AS security,
       insider.status AS status,
       insider.evidence AS evidence,
       insider.fact_id AS fact_id
ORDER BY space, subject_id, company, security, fact_id
