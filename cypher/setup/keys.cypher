// Constraints of the database, those of other programs included. Reads, as a command on the schema, which no reading
// query may be.
//
// mode: write
// returns: name, kind, labels, properties
SHOW CONSTRAINTS YIELD name, type, labelsOrTypes, properties
RETURN name AS name, type AS kind, labelsOrTypes AS labels, properties AS properties
ORDER BY name
