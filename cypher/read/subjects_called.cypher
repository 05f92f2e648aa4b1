// Entities of one type whose id or name reads like one of some words, in no order; each once for every way it is met.
// A row without anybody says how far the log of the space goes, read before them: whoever is declared puts it further on.
//
// mode: read
// param $space: the space
// param $type: the type
// param $keys: the words as names are compared: casefolded, in one form, blanks collapsed
// returns: found, declared
MATCH (everybody:Log {space: $space})
RETURN [] AS found, [everybody.log_size, everybody.log_sum] AS declared
UNION ALL
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, type: $type, name_key: key})
RETURN [properties(entity)] AS found, NULL AS declared
UNION ALL
UNWIND $keys AS key
MATCH (entity:Entity {space: $space, type: $type, id_key: key})
RETURN [properties(entity)] AS found, NULL AS declared
