// Writes anew what stands beside subjects about the facts that there must be, unless it was changed meanwhile.
//
// mode: write
// param $rows: for each subject its `uid`, what stands there `before`, and what is to stand there, `held`
UNWIND $rows AS row
MATCH (subject:Entity {uid: row.uid})
WHERE subject.held = row.before
SET subject.held = row.held
