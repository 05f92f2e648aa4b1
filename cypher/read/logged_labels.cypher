// How many nodes a space has of each combination of labels, and of each type where they have one.
//
// mode: read
// param $space: the space
// returns: labels, type, number
MATCH (node)
WHERE node.space = $space
RETURN labels(node) AS labels, node.type AS type, count(node) AS number
ORDER BY number, type
