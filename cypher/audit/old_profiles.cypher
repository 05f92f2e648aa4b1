// Clients whose risk profile was last stated more than so many days ago, or never.
// Left out is whose facts are all along relations of `others`, another domain, while nothing of theirs waits to be read.
// Another age: change the number of days in the first clause.
//
// schema: finance
// title: Risk profiles that are old or missing
// mode: read
// returns: space, subject_id, name, appetite, last_said, fact_id

WITH 365 AS days,
     ['BOUND_BY', 'ENGAGED_FOR', 'FIRM_ACTS_FOR', 'HAS_CONFLICT_WITH', 'HAS_DEADLINE', 'HAS_INSTRUCTION', 'HAS_INTEREST_IN',
     'HAS_WAIVED_CONFLICT', 'MUST_NOT_DISCLOSE', 'REPRESENTED_BY'] AS others
MATCH (subject:Client)
OPTIONAL MATCH (subject)-[known]->(object:Entity)
WITH days, subject, count(known) AS facts, sum(CASE WHEN type(known) IN others THEN 1 ELSE 0 END) AS foreign
WHERE facts = 0
   OR foreign < facts
   OR coalesce(subject.awaiting, 0) > 0
OPTIONAL MATCH (subject)-[fact:HAS_RISK_PROFILE]->(appetite:Entity)
WITH subject, fact, appetite, days
WHERE fact IS NULL
   OR fact.said_at < timestamp() - days * 86400000
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       coalesce(appetite.name, '') AS appetite,
       coalesce(fact.said_at_iso, 'never') AS last_said,
       coalesce(fact.fact_id, '') AS fact_id
ORDER BY space, subject_id, fact_id
