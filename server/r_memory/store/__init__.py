"""The graph store: the same Cypher queries for Neo4j and for the embedded ArcadeDB.

A query file that cannot be used raises `ConfigurationError`; a database that gives no answer raises `StoreUnavailable`.
"""
