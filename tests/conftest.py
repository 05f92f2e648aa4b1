"""What every test may ask for: real servers, started on first use, once in a session."""

from collections.abc import Iterator

import pytest

from tests.neo4j_servers import Neo4jAddress, neo4j_server


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"  # the neo4j driver knows no other


@pytest.fixture(scope="session")
def neo4j_526() -> Iterator[Neo4jAddress]:
    """The long-term support line."""
    with neo4j_server("5.26") as address:
        yield address


@pytest.fixture(scope="session")
def neo4j_2026() -> Iterator[Neo4jAddress]:
    """The newest line."""
    with neo4j_server("2026") as address:
        yield address
