// A relationship type on ArcadeDB, made before anybody needs it: two writers that make one at once fail.
// An index brings its type into being; only the type is wanted.
//
// mode: write
// name FACT: one relationship type of the schema, or one of our own

CREATE INDEX made_FACT IF NOT EXISTS FOR ()-[fact:FACT]-() ON (fact.fact_id);
DROP INDEX made_FACT IF EXISTS;
