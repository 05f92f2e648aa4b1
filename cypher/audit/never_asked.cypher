// Patients about whose allergies nothing is recorded: neither one, nor that there are none.
// Another label or relation asks the same of another domain, such as `Client` and `HAS_CONFLICT_WITH`.
//
// schema: clinical
// title: Never asked about allergies
// mode: read
// returns: space, subject_id, name

MATCH (subject:Patient)
WHERE NOT (subject)-[:HAS_ALLERGY_TO]->(:Entity)
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name
ORDER BY space, subject_id
