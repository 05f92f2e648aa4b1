"""The graph store: the same Cypher for Neo4j and for the embedded ArcadeDB.

A query file that cannot be used is refused with a `ConfigurationError`; where a database gives no answer, it is
`StoreUnavailable`.
"""
