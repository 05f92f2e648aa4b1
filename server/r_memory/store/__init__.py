"""The graph store: the same Cypher for Neo4j and for the embedded ArcadeDB."""
