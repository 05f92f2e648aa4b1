// Words in facts that no lexicon knows, the most frequent first: candidates for the lexicon.
//
// title: Unmapped words
// mode: read
// returns: space, word, relation, subjects, facts, last_said_at

MATCH (subject:Entity)-[fact]->(target:Entity)
WHERE fact.unmapped = true
  AND fact.status <> 'entered_in_error'
WITH subject.space AS space,
     target.name AS word,
     type(fact) AS relation,
     count(DISTINCT subject) AS subjects,
     count(fact) AS facts,
     max(fact.said_at_iso) AS last_said_at
RETURN space,
       word,
       relation,
       subjects,
       facts,
       last_said_at
ORDER BY space, facts DESC, word, relation
