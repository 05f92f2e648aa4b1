// Subjects of one type that an earlier version declared, with what lies beside each and was never counted.
//
// mode: read
// param $type: the type
// returns: uid, facts, awaiting
MATCH (subject:Entity)
WHERE subject.type = $type
  AND subject.space <> 'knowledge'
  AND subject.held IS NULL
OPTIONAL MATCH (subject)-[edge]->(node)
WHERE edge.fact_id IS NOT NULL OR node:Episode
RETURN subject.uid AS uid,
       collect(CASE WHEN edge.fact_id IS NULL THEN NULL ELSE [type(edge), edge.fact_id, edge.last_seq] END) AS facts,
       count(CASE WHEN node:Episode THEN 1 END) AS awaiting
ORDER BY uid
