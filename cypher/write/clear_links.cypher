// Removes the connections of the knowledge pack's last version; facts are not among them.
//
// mode: write
MATCH (start:Entity)-[link]->(end:Entity)
WHERE start.uid STARTS WITH 'knowledge/'
  AND link.space = 'knowledge'
DELETE link
