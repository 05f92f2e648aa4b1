// What a client holds and must not hold or trade, or what is a kind of that: restricted, on the watch list or in a
// blackout.
//
// schema: finance
// title: Restricted and held
// mode: read
// returns: space, subject_id, name, object, holding, why, status, evidence, held_since, fact_id

MATCH (subject:Entity)-[held:HOLDS]->(thing:Entity)
MATCH (thing)-[:IS_A*0..]->(target:Entity)
MATCH (subject)-[bar:RESTRICTED_FROM|ON_WATCH_LIST|IN_BLACKOUT]->(barred:Entity)
WHERE barred.uid = target.uid
  AND bar.status IN ['active', 'unconfirmed']
  AND held.status IN ['active', 'unconfirmed']
RETURN DISTINCT subject.space AS space,
       subject.id AS subject_id,
       subject.name AS name,
       barred.name AS object,
       thing.name AS holding,
       type(bar) AS why,
       bar.status AS status,
       bar.evidence AS evidence,
       held.said_at_iso AS held_since,
       bar.fact_id AS fact_id
ORDER BY space, subject_id, object, holding, why, fact_id
