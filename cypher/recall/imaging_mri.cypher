// What is recorded about the subject that the knowledge pack holds against a magnetic resonance scan, along any
// relation and in every status: an implant is found even where it was recorded as something else.
//
// The own traversal of IMAGING_MRI, beside the standard one; an example for further ones. It asks the scan first, whose
// rules are few: asked for the rules of a device, ArcadeDB reads the facts that everybody else has about it.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// returns: relation, fact, object
MATCH (scan:Entity {uid: 'knowledge/Procedure/mri'})-[:IS_CONTRAINDICATED_WITH]->(against:Entity)
WITH collect(against.uid) AS dangers
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[edge]->(device:Entity)
WHERE edge.space = $space
  AND device.uid IN dangers
RETURN type(edge) AS relation,
       properties(edge) AS fact,
       properties(device) AS object
ORDER BY relation, edge.last_seq, edge.fact_id
