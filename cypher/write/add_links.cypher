// Connects concepts of the knowledge pack.
//
// mode: write
// param $rows: for each connection `start` and `end`, keys of concepts, and `link`, what the relationship holds
// name LINK: the relation of the pack
// returns: written
UNWIND $rows AS row
MATCH (start:Entity {uid: row.start})
MATCH (end:Entity {uid: row.end})
CREATE (start)-[link:LINK]->(end)
SET link = row.link
RETURN count(link) AS written
