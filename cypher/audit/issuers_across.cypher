// Companies and securities that one client must not deal in, or is an insider of, and that another client holds: by the
// issuers of the knowledge pack, and by what a holding is a kind of.
//
// schema: finance
// title: Insider or restricted here, held there
// mode: read
// returns: space, object, barred_id, barred_name, why, status, holder_id, holder_name, holding, fact_id

MATCH (subject:Entity)-[bar:RESTRICTED_FROM|ON_WATCH_LIST|IN_BLACKOUT|IS_INSIDER_OF]->(barred:Entity)
MATCH (holder:Entity)-[held:HOLDS]->(thing:Entity)
MATCH (thing)-[:IS_A*0..]->(kind:Entity)
WHERE holder.space = subject.space
  AND holder.uid <> subject.uid
  AND bar.status IN ['active', 'unconfirmed']
  AND held.status IN ['active', 'unconfirmed']
OPTIONAL MATCH (kind)-[issued:ISSUED_BY]->(barred)
WITH subject, bar, barred, holder, thing, kind, issued
WHERE issued IS NOT NULL
   OR kind.uid = barred.uid
RETURN DISTINCT subject.space AS space,
       barred.name AS object,
       subject.id AS barred_id,
       subject.name AS barred_name,
       type(bar) AS why,
       bar.status AS status,
       holder.id AS holder_id,
       holder.name AS holder_name,
       thing.name AS holding,
       bar.fact_id AS fact_id
ORDER BY space, object, barred_id, why, holder_id, holding, fact_id
