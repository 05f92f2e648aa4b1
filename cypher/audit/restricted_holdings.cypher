// What a client holds and must not hold or trade: restricted, on the watch list or in a blackout.
//
// schema: finance
// title: Restricted and held
// mode: read
// returns: space, subject_id, name, object, why, status, evidence, held_since, fact_id

MATCH (subject:Entity)-[bar:RESTRICTED_FROM|ON_WATCH_LIST|IN_BLACKOUT]->(target:Entity)<-[held:HOLDS]-(subject)
WHERE bar.status IN ['active', 'unconfirmed']
  AND held.status IN ['active', 'unconfirmed']
RETURN subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       target.name AS object,
       type(bar) AS why,
       bar.status AS status,
       bar.evidence AS evidence,
       held.said_at_iso AS held_since,
       bar.fact_id AS fact_id
ORDER BY space, subject_id, object, why, fact_id
