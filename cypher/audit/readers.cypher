// Who asked, how often, and about how many subjects: whoever reads many of them is worth a question.
//
// title: Who read what
// mode: read
// returns: space, shown_to, recalls, subjects, first_shown_at, last_shown_at

MATCH (recall:Recall)-[showed:SHOWED]->(subject:Entity)
WITH recall.space AS space,
     recall.shown_to AS shown_to,
     count(showed) AS recalls,
     count(DISTINCT subject.uid) AS subjects,
     min(recall.shown_at_iso) AS first_shown_at,
     max(recall.shown_at_iso) AS last_shown_at
RETURN space,
       shown_to,
       recalls,
       subjects,
       first_shown_at,
       last_shown_at
ORDER BY space, subjects DESC, recalls DESC, shown_to
