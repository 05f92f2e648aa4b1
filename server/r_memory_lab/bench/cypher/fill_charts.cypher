// Creates new subjects with all that was said and recorded of each, and enters them in the log of their space.
//
// It leaves what `declare_subject`, `add_episode` of a document that was read, and `append` leave, but for the facts of
// the present state.
//
// mode: write
// param $space: space of the subjects
// param $log: name of the log of the space
// param $weight: what the subjects add to the sum of that log
// param $event: what all events hold alike
// param $charts: for each its `place`, the `leaf` of its entry, `subject`, `conversation`, `episode`, `events`, `entries`
// name KIND: labels of the subjects' type
MERGE (log:Log {space: $space})
SET log.claimed = true
WITH log, coalesce(log.log_size, 0) AS logged
SET log.log_id = $log
SET log.log_size = logged + size($charts)
SET log.log_sum = (coalesce(log.log_sum, 0) + $weight) % 2305843009213693952
WITH logged
UNWIND $charts AS chart
CREATE (entry:Entry {space: $space, log: $log, seq: logged + chart.place, leaf: chart.leaf, ends: []})
CREATE (subject:Entity:KIND)
SET subject = chart.subject
SET subject.entry = logged + chart.place
CREATE (conversation:Conversation)
SET conversation = chart.conversation
CREATE (episode:Episode)
SET episode = chart.episode
CREATE (episode)-[:CONCERNS {space: $space}]->(subject)
FOREACH (row IN chart.entries |
  CREATE (own:Entry {space: $space, log: chart.subject.log_id, seq: row.place, leaf: row.leaf, ends: []})
)
FOREACH (row IN chart.events |
  CREATE (event:FactEvent)
  SET event = $event
  SET event += row
  CREATE (event)-[:ABOUT {space: $space}]->(subject)
  CREATE (event)-[:EVIDENCED_BY {space: $space}]->(episode)
)
