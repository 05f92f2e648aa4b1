// Clients about whose conflicts nothing is recorded: neither one, nor that a check found none.
// Left out is whose facts are all along relations of `others`, another domain, while nothing of theirs waits to be read.
//
// schema: law
// title: Never checked for conflicts
// mode: read
// returns: space, subject_id, name

WITH ['FLAGGED_AS', 'HAS_RISK_PROFILE', 'HAS_STANDING_ORDER', 'HAS_TAX_CONSTRAINT', 'HOLDS', 'IN_BLACKOUT', 'IS_INSIDER_OF',
     'MINIMUM_HOLDING', 'NEEDS_CASH', 'NEEDS_PRECLEARANCE', 'ON_WATCH_LIST', 'RESTRICTED_FROM', 'RISK_LIMIT'] AS others
MATCH (subject:Client)
WHERE NOT (subject)-[:HAS_CONFLICT_WITH]->(:Entity)
OPTIONAL MATCH (subject)-[fact]->(object:Entity)
WITH subject, count(fact) AS facts, sum(CASE WHEN type(fact) IN others THEN 1 ELSE 0 END) AS foreign
WHERE facts = 0
   OR foreign < facts
   OR coalesce(subject.awaiting, 0) > 0
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name
ORDER BY space, subject_id
