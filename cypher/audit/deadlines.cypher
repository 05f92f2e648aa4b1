// Deadlines that run, those with a certain day by that day; a day that could not be told stands below in its own words.
//
// schema: law
// title: Deadlines by date
// mode: read
// returns: space, due, certain, subject_id, name, deadline, status, evidence, fact_id

MATCH (subject:Entity)-[fact:HAS_DEADLINE]->(deadline:Entity)
WHERE fact.status IN ['active', 'unconfirmed']
WITH subject, fact, deadline, coalesce(fact.due, '') AS due
WITH subject,
     fact,
     deadline,
     due,
     size(due) = 10 AND substring(due, 4, 1) = '-' AND substring(due, 7, 1) = '-' AS certain
RETURN subject.space AS space,
       due AS due,
       certain AS certain,
       subject.id AS subject_id,
       subject.name AS name,
       deadline.name AS deadline,
       fact.status AS status,
       fact.evidence AS evidence,
       fact.fact_id AS fact_id
ORDER BY space, certain DESC, due, subject_id, fact_id
