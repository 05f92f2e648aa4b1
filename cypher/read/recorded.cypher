// Which of some events are in the ledger, and at which place.
//
// mode: read
// param $space: the space
// param $ids: ids of the events
// returns: id, seq
UNWIND $ids AS id
MATCH (event:FactEvent {id: id})
WHERE event.space = $space
RETURN event.id AS id, event.seq AS seq
ORDER BY seq
