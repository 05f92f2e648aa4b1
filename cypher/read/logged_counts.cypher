// How many events, utterances, receipts and entries of logs a space has, reached from a subject or not.
//
// mode: read
// param $space: the space
// returns: event, statement, receipt, entry
OPTIONAL MATCH (event:FactEvent)
WHERE event.space = $space
WITH count(event) AS event
OPTIONAL MATCH (statement:Episode)
WHERE statement.space = $space
WITH event, count(statement) AS statement
OPTIONAL MATCH (receipt:Recall)
WHERE receipt.space = $space
WITH event, statement, count(receipt) AS receipt
OPTIONAL MATCH (entry:Entry)
WHERE entry.space = $space
RETURN event AS event, statement AS statement, receipt AS receipt, count(entry) AS entry
ORDER BY event
