// Clients about whose conflicts nothing is recorded: neither one, nor that a check found none.
//
// schema: law
// title: Never checked for conflicts
// mode: read
// returns: space, subject_id, name

MATCH (subject:Client)
WHERE NOT (subject)-[:HAS_CONFLICT_WITH]->(:Entity)
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name
ORDER BY space, subject_id
