// A combination of labels on ArcadeDB, made before anybody needs it: two writers that make one at once fail.
// A node brings its type into being; only the type is wanted.
//
// mode: write
// name KIND: labels of one type of the schema

CREATE (probe:Entity:KIND {uid: 'setup'})
DELETE probe;
