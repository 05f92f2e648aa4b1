// How many people a space declared, an erased one as the trace that stands in their place, and how many of those are
// there with the keys by which they are found.
//
// mode: read
// param $space: the space
// param $log: name of its log
// param $prefix: the beginning of the key of everybody in it
// returns: declared, there
OPTIONAL MATCH (entry:Entry {log: $log})
WHERE entry.seq > 0
  AND entry.leaf STARTS WITH 'subject:'
WITH toInteger(sum(CASE WHEN entry IS NULL THEN 0 ELSE 1 - size(entry.ends) END)) AS declared
OPTIONAL MATCH (person:Entity)
WHERE person.space = $space
  AND person.log_id IS NOT NULL
  AND person.name_key IS NOT NULL
  AND person.id_key IS NOT NULL
  AND person.uid STARTS WITH $prefix + person.type + '/'
RETURN declared AS declared, count(person) AS there
ORDER BY declared
