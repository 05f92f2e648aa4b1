// What is recorded about the subject that the knowledge pack holds against a magnetic resonance scan, along any
// relation and in every status: an implant is found even where it was recorded as something else.
//
// The own traversal of IMAGING_MRI, beside the standard one; an example for further ones.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// returns: relation, fact, object
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[edge]->(device:Entity)
WHERE edge.space = $space
MATCH (scan:Entity {uid: 'knowledge/Procedure/mri'})-[rule:IS_CONTRAINDICATED_WITH]->(device)
WITH edge, device, count(rule) AS rules
WHERE rules > 0
RETURN type(edge) AS relation,
       properties(edge) AS fact,
       properties(device) AS object
ORDER BY relation, edge.last_seq, edge.fact_id
