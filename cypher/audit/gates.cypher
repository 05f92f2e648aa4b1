// What gates decided before a model, about its answers and about its tool calls, the newest first.
//
// title: What gates decided
// mode: read
// returns: space, subject_id, name, shown_at, shown_to, gate, decision, verdict, facts, complete, receipt_id

MATCH (recall:Recall)-[showed:SHOWED]->(subject:Entity)
WHERE recall.gate <> ''
RETURN recall.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       recall.shown_at_iso AS shown_at,
       recall.shown_to AS shown_to,
       recall.gate AS gate,
       coalesce(recall.decision, '') AS decision,
       coalesce(recall.verdict, '') AS verdict,
       size(coalesce(recall.fact_ids, [])) AS facts,
       recall.complete AS complete,
       recall.id AS receipt_id
ORDER BY space, shown_at DESC, receipt_id
