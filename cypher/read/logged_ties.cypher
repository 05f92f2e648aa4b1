// How many relationships of each type touch a space, by the labels of what they join and whether it is a subject.
//
// mode: read
// param $space: the space
// returns: type, start, end, from_subject, to_subject, number
MATCH (here)-[edge]->(there)
WHERE here.space = $space OR there.space = $space
RETURN type(edge) AS type,
       labels(here) AS start,
       labels(there) AS end,
       here.log_id IS NOT NULL AS from_subject,
       there.log_id IS NOT NULL AS to_subject,
       count(edge) AS number
ORDER BY type, number
