// Everything recorded along some relations from one subject, in every status, and the open episodes that it awaits;
// and beside it everybody whose id or name reads like one of some words, or who is called so by somebody, so that a
// request asks once.
//
// One row for each node of the subject, which are two only where its key was dropped, none where it is unknown: what
// stands beside it (how many facts there must be along each relation, how many episodes, and what an import has still to
// bring), and in no order what was found, each as an own traversal of an action type returns it (see cypher/README.md);
// of nothing, one with nulls. Of many open episodes none is among it: how many there are, and the sum of their places in
// the log, say whether they are those that `read/awaited` gave before, as each change puts an episode at a later place.
// Rows without a watermark are of those people. Rows of their own take a quarter longer (measured with 20 facts).
// One of them is of nobody, and says how far the log of the space goes: whoever is declared puts it further on, so that
// words that met nobody need not be looked up again while it is the same.
//
// mode: read
// param $subject_uid: unique key of the subject
// param $space: its space
// param $type: its type
// param $words: words as names are compared: casefolded, in one form, blanks collapsed
// param $most: how many open episodes are given with the facts
// param $aliases: words, likewise, by which somebody may be called
// param $alias_types: types of the things that hold such words
// name FACT: the relations
// name ALIAS: the relation by which somebody is called so
// returns: watermark, held, awaiting, arriving, log, awaited, places, declared, found, so_called
MATCH (subject:Entity {uid: $subject_uid, space: $space})
OPTIONAL MATCH (subject)-[edge:FACT|AWAITS]->(node)
WHERE (node:Entity OR node:Episode)
  AND edge.space = $space
WITH subject, edge, node,
  CASE WHEN type(edge) = 'AWAITS' THEN 1 ELSE 0 END AS awaits,
  CASE WHEN coalesce(node.settled_entry, 0) > 0 THEN node.settled_entry ELSE coalesce(node.entry, 0) END AS place
WITH subject, sum(awaits) AS awaited, sum(awaits * place) AS places,
  collect(CASE WHEN awaits = 1 AND coalesce(subject.awaiting, 0) > $most THEN NULL
    ELSE {relation: type(edge), fact: properties(edge), object: properties(node)} END) AS found
RETURN coalesce(subject.chain_seq, 0) AS watermark,
       coalesce(subject.held, '') AS held,
       coalesce(subject.awaiting, 0) AS awaiting,
       coalesce(subject.arriving, '') AS arriving,
       coalesce(subject.log_id, '') AS log,
       toInteger(awaited) AS awaited,
       toInteger(places) AS places,
       NULL AS declared,
       found AS found,
       NULL AS so_called
UNION ALL
MATCH (everybody:Log {space: $space})
RETURN NULL AS watermark, NULL AS held, NULL AS awaiting, NULL AS arriving, NULL AS log,
  NULL AS awaited, NULL AS places, [everybody.log_size, everybody.log_sum] AS declared, [] AS found,
  NULL AS so_called
UNION ALL
UNWIND $words AS word
MATCH (one:Entity {space: $space, type: $type, name_key: word})
RETURN NULL AS watermark, NULL AS held, NULL AS awaiting, NULL AS arriving, NULL AS log,
  NULL AS awaited, NULL AS places, NULL AS declared, collect(properties(one)) AS found,
  NULL AS so_called
UNION ALL
UNWIND $words AS word
MATCH (one:Entity {space: $space, type: $type, id_key: word})
RETURN NULL AS watermark, NULL AS held, NULL AS awaiting, NULL AS arriving, NULL AS log,
  NULL AS awaited, NULL AS places, NULL AS declared, collect(properties(one)) AS found,
  NULL AS so_called
UNION ALL
UNWIND $alias_types AS type
UNWIND $aliases AS word
MATCH (object:Entity {space: $space, type: type, name_key: word})<-[edge:ALIAS]-(one:Entity {space: $space})
WHERE edge.space = $space
RETURN NULL AS watermark, NULL AS held, NULL AS awaiting, NULL AS arriving, NULL AS log,
  NULL AS awaited, NULL AS places, NULL AS declared, [] AS found,
  collect({relation: type(edge), fact: properties(edge), object: properties(object), subject: properties(one)}) AS so_called
