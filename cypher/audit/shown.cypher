// What was shown to whom and when, the newest first.
//
// title: What was shown
// mode: read
// returns: space, subject_id, name, shown_at, shown_to, intents, facts, complete, receipt_id

MATCH (recall:Recall)-[showed:SHOWED]->(subject:Entity)
RETURN recall.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       recall.shown_at_iso AS shown_at,
       recall.shown_to AS shown_to,
       recall.intents AS intents,
       size(coalesce(recall.fact_ids, [])) AS facts,
       recall.complete AS complete,
       recall.id AS receipt_id
ORDER BY space, shown_at DESC, receipt_id
