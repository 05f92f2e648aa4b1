// Marks concepts that a new version of the pack no longer has and that facts still reach, and removes the others.
//
// mode: write
// param $uids: keys of the concepts
UNWIND $uids AS uid
MATCH (concept:Entity {uid: uid})
OPTIONAL MATCH (concept)<-[fact]-(subject:Entity)
WHERE fact.fact_id IS NOT NULL
WITH concept, count(fact) AS facts
SET concept.retired = true
FOREACH (unused IN CASE WHEN facts = 0 THEN [concept] ELSE [] END |
  DETACH DELETE unused
)
