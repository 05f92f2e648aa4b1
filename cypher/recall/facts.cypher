// Everything recorded along some relations from one subject, in every status, and the open episodes that it awaits;
// and beside it everybody whose id or name reads like one of some words, so that a request asks once.
//
// With each row what stands beside the subject: how many facts there must be along each relation, and how many episodes.
// One row with empty columns where nothing is recorded; no row where the subject is unknown. Rows without a watermark
// are those people. An own traversal of an action type returns `relation, fact, object`, each as here (see
// cypher/README.md).
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// param $type: its type
// param $words: words as names are compared: casefolded, in one form, blanks collapsed
// name FACT: the relations
// returns: watermark, held, awaiting, relation, fact, object
MATCH (subject:Entity {uid: $subject_uid, space: $space})
OPTIONAL MATCH (subject)-[edge:FACT|AWAITS]->(node)
WHERE (node:Entity OR node:Episode)
  AND edge.space = $space
RETURN coalesce(subject.chain_seq, 0) AS watermark,
       coalesce(subject.held, '') AS held,
       coalesce(subject.awaiting, 0) AS awaiting,
       type(edge) AS relation,
       properties(edge) AS fact,
       properties(node) AS object
ORDER BY relation, edge.last_seq, edge.fact_id, node.id
UNION ALL
UNWIND $words AS word
MATCH (one:Entity {space: $space, type: $type, name_key: word})
RETURN NULL AS watermark, NULL AS held, NULL AS awaiting, NULL AS relation, NULL AS fact, properties(one) AS object
UNION ALL
UNWIND $words AS word
MATCH (one:Entity {space: $space, type: $type, id_key: word})
RETURN NULL AS watermark, NULL AS held, NULL AS awaiting, NULL AS relation, NULL AS fact, properties(one) AS object
