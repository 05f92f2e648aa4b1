// Takes everything of a space away, as if nothing had ever been told.
//
// mode: write
// param $space: name of the space
MATCH (node)
WHERE node.space = $space
DETACH DELETE node
