// How many facts each extractor recorded under each version of the schema, and when.
// After a faulty version was found, this says what has to be looked at again.
//
// title: Facts by extractor and version
// mode: read
// returns: space, route, extractor, schema_version, events, facts, subjects, first_recorded_at, last_recorded_at

MATCH (event:FactEvent)-[about:ABOUT]->(subject:Entity)
WHERE event.kind <> 'erased'
WITH event.space AS space,
     event.route AS route,
     event.extractor AS extractor,
     event.schema_version AS schema_version,
     count(about) AS events,
     count(DISTINCT event.fact_id) AS facts,
     count(DISTINCT subject.uid) AS subjects,
     min(event.recorded_at_iso) AS first_recorded_at,
     max(event.recorded_at_iso) AS last_recorded_at
RETURN space,
       route,
       extractor,
       schema_version,
       events,
       facts,
       subjects,
       first_recorded_at,
       last_recorded_at
ORDER BY space, route, extractor, schema_version
