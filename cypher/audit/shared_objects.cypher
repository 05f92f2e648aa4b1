// People, firms and other things of a space's own that several of its subjects are tied to.
// A lawyer's check for conflicts of interest, a bank's for hidden ties. Concepts of the knowledge pack do not count.
//
// title: Ties between subjects
// mode: read
// returns: space, object, subjects, subject_ids, relations

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.status IN ['active', 'unconfirmed']
  AND target.space = subject.space
  AND NOT target:Scope
WITH subject, fact, target
ORDER BY subject.id, type(fact)
WITH target,
     count(DISTINCT subject.uid) AS subjects,
     collect(DISTINCT subject.id) AS subject_ids,
     collect(DISTINCT type(fact)) AS relations
WHERE subjects > 1
RETURN target.space AS space,
       target.name AS object,
       subjects,
       subject_ids,
       relations
ORDER BY space, subjects DESC, object, subject_ids
