// Makes concepts of the knowledge pack exactly what is given; those that facts reach already stay where they are.
//
// mode: write
// param $rows: everything each concept holds
// name KIND: labels of the concepts' type
// returns: written
UNWIND $rows AS row
OPTIONAL MATCH (known:Entity {uid: row.uid})
FOREACH (missing IN CASE WHEN known IS NULL THEN [row] ELSE [] END |
  CREATE (new:Entity:KIND)
  SET new = missing
)
WITH row
MATCH (concept:Entity {uid: row.uid})
SET concept = row
RETURN count(concept) AS written
