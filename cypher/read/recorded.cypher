// What the ledger holds under the ids of some events.
//
// mode: read
// param $space: the space
// param $ids: ids of the events
// returns: id, hash
UNWIND $ids AS id
MATCH (event:FactEvent {id: id})
WHERE event.space = $space
RETURN event.id AS id, event.hash AS hash
ORDER BY id
