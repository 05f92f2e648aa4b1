// Subjects of one space that share a name: the wrong one is easily meant.
//
// title: Subjects that share a name
// mode: read
// returns: space, name, subjects, subject_ids

MATCH (subject:Entity)
WHERE subject.chain_seq IS NOT NULL
WITH subject
ORDER BY subject.id
WITH subject.space AS space,
     subject.name_key AS name,
     count(subject) AS subjects,
     collect(subject.id) AS subject_ids
WHERE subjects > 1
RETURN space,
       name,
       subjects,
       subject_ids
ORDER BY space, name
