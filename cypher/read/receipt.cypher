// One receipt.
//
// mode: read
// param $space: its space
// param $id: its id
// returns: receipt
MATCH (receipt:Recall {space: $space, id: $id})
RETURN properties(receipt) AS receipt
ORDER BY receipt.id
