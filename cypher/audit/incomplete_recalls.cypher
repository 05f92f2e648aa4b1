// Answers that went out with COULD-NOT-CHECK or with memory unavailable: who acted on them, and when.
//
// title: Incomplete recalls
// mode: read
// returns: space, subject_id, name, shown_at, shown_to, intents, receipt_id

MATCH (recall:Recall)-[showed:SHOWED]->(subject:Entity)
WHERE recall.complete = false
RETURN recall.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       recall.shown_at_iso AS shown_at,
       recall.shown_to AS shown_to,
       recall.intents AS intents,
       recall.id AS receipt_id
ORDER BY space, shown_at DESC, receipt_id
