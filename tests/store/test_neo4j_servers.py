"""The servers that the store contract runs on are the ones it names."""

import pytest
from neo4j import GraphDatabase

from tests.neo4j_servers import Neo4jAddress

pytestmark = pytest.mark.neo4j


@pytest.mark.parametrize(("server", "line"), [("neo4j_526", "5.26."), ("neo4j_2026", "2026.")])
def test_each_server_is_of_its_line(request: pytest.FixtureRequest, server: str, line: str) -> None:
    assert number_of(request.getfixturevalue(server)).startswith(line)


def number_of(address: Neo4jAddress) -> str:
    with GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver:
        found = driver.execute_query("CALL dbms.components() YIELD versions RETURN versions[0] AS number").records
    return str(found[0]["number"])
