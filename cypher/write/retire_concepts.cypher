// Marks concepts that a new version of the pack no longer has and that facts still reach, and removes the others.
//
// mode: write
// param $version: the new version, which every present concept carries
MATCH (concept:Entity)
WHERE concept.uid STARTS WITH 'knowledge/'
  AND coalesce(concept.pack_version, '') <> $version
OPTIONAL MATCH (subject:Entity)-[fact]->(concept)
WHERE fact.fact_id IS NOT NULL
WITH concept, count(fact) AS facts
SET concept.retired = true
FOREACH (unused IN CASE WHEN facts = 0 THEN [concept] ELSE [] END |
  DETACH DELETE unused
)
