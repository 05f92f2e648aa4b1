// Objects of one subject's facts that live in its own space, and how many facts of everybody reach each.
//
// mode: write
// param $subject_uid: unique key of the subject
// param $space: space of the subject
// param $type: type of subjects, who are nobody's words
// returns: uid, own, everybody
MATCH (subject:Entity {uid: $subject_uid, space: $space})-[fact]->(word:Entity)
WHERE fact.fact_id IS NOT NULL AND word.space = $space AND word.type <> $type
WITH word, count(fact) AS own
MATCH (word)<-[every]-(anybody:Entity)
RETURN word.uid AS uid, own AS own, count(every) AS everybody
ORDER BY uid
