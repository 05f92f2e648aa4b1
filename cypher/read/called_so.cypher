// Facts along some relations whose object reads like one of some words, each with its subject, in no order.
//
// mode: read
// param $space: the space
// param $type: the type of the objects
// param $keys: the words as names are compared: casefolded, in one form, blanks collapsed
// name FACT: the relations
// returns: relation, fact, object, subject
UNWIND $keys AS key
MATCH (object:Entity {space: $space, type: $type, name_key: key})<-[edge:FACT]-(subject:Entity {space: $space})
WHERE edge.space = $space
RETURN type(edge) AS relation, properties(edge) AS fact, properties(object) AS object, properties(subject) AS subject
