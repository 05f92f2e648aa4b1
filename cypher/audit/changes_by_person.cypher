// What people changed, and whom they erased, the newest first, with the reason they gave.
//
// title: Changes by people
// mode: read
// returns: space, subject_id, name, kind, relation, status, actor, reason, recorded_at, seq, fact_id

MATCH (event:FactEvent)-[about:ABOUT]->(subject:Entity)
WHERE event.kind IN ['changed', 'erased'] AND event.actor <> ''
RETURN event.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       event.kind AS kind,
       event.relation AS relation,
       event.status AS status,
       event.actor AS actor,
       event.reason AS reason,
       event.recorded_at_iso AS recorded_at,
       event.seq AS seq,
       event.fact_id AS fact_id
ORDER BY space, recorded_at DESC, subject_id, seq DESC
