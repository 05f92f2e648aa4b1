// Takes the present state of a space away, and leaves the ledger that it can be made of again.
//
// mode: write
// param $space: name of the space
MATCH (subject:Entity {space: $space})-[fact]->(:Entity)
WHERE fact.fact_id IS NOT NULL
DELETE fact
