// Turns whose conversational memory had trouble: a part that is missing, a reply that could not be read, or a signature of
// failure such as `over_triggered`, `slow` or `over_budget`.
//
// title: Turns with memory troubles
// mode: read
// returns: space, subject_uid, conversation, turn, at, flags, failed, parse_failures, gate_by, gate_trouble, decision_id

MATCH (decision:Decision)
WHERE decision.failed <> '{}' OR decision.parse_failures > 0 OR size(decision.flags) > 0
RETURN decision.space AS space,
       decision.subject_uid AS subject_uid,
       decision.conversation AS conversation,
       decision.turn AS turn,
       decision.at_iso AS at,
       decision.flags AS flags,
       decision.failed AS failed,
       decision.parse_failures AS parse_failures,
       decision.gate_by AS gate_by,
       decision.gate_trouble AS gate_trouble,
       decision.id AS decision_id
ORDER BY space, at DESC, decision_id
