// How many events, utterances and receipts a space has, reached from a subject or not.
//
// mode: read
// param $space: the space
// returns: event, statement, receipt
OPTIONAL MATCH (event:FactEvent)
WHERE event.space = $space
WITH count(event) AS event
OPTIONAL MATCH (statement:Episode)
WHERE statement.space = $space
WITH event, count(statement) AS statement
OPTIONAL MATCH (receipt:Recall)
WHERE receipt.space = $space
RETURN event AS event, statement AS statement, count(receipt) AS receipt
ORDER BY event
