// Subjects of one space and type that share a name, upper and lower case alike: the wrong one is easily meant.
//
// title: Subjects that share a name
// mode: read
// returns: space, type, name, subjects, subject_ids

MATCH (subject:Entity)
WHERE subject.space <> 'knowledge'
WITH subject
ORDER BY subject.id
WITH subject.space AS space,
     subject.type AS type,
     subject.name_key AS name,
     count(subject) AS subjects,
     collect(subject.id) AS subject_ids
WHERE subjects > 1
RETURN space,
       type,
       name,
       subjects,
       subject_ids
ORDER BY space, type, name
