// Words of a space's own to which nothing leads; one row.
//
// mode: read
// param $space: the space
// returns: words
MATCH (word:Entity)
WHERE word.space = $space
  AND word.log_id IS NULL
OPTIONAL MATCH (start:Entity)-[leads]->(word)
WITH word, count(leads) AS ways
WHERE ways = 0
RETURN collect(word.uid) AS words
