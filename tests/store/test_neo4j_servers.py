"""The servers that the store contract runs on are the ones it names."""

import pytest
from neo4j import GraphDatabase

from tests.neo4j_servers import Neo4jAddress

pytestmark = pytest.mark.neo4j


def test_long_term_support_server_is_a_5_26(neo4j_526: Neo4jAddress) -> None:
    assert number_of(neo4j_526).startswith("5.26.")


def test_newest_server_is_a_2026(neo4j_2026: Neo4jAddress) -> None:
    assert number_of(neo4j_2026).startswith("2026.")


def number_of(address: Neo4jAddress) -> str:
    with GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:
        found = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0] AS number").records
    return str(found[0]["number"])
