// Removes what ties things to concepts that their words no longer say they are, and what they keep of that.
//
// mode: write
// param $rows: for each thing `uid` and `is_a`, keys of the concepts that stay
UNWIND $rows AS row
MATCH (thing:Entity {uid: row.uid})
FOREACH (nothing IN CASE WHEN size(row.is_a) = 0 THEN [thing] ELSE [] END |
  REMOVE nothing.is_a
)
WITH thing, row
MATCH (thing)-[tie:IS_A]->(concept:Entity)
WHERE NOT concept.uid IN row.is_a
DELETE tie
