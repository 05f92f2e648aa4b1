"""Each of the four stores, empty of what the test is about: every test has spaces of its own."""

from collections.abc import AsyncIterator, Iterator

import pytest

from r_memory.protocols import Store
from r_memory.store.bolt import Endpoint, FixedEndpoint
from tests.neo4j_servers import Neo4jAddress
from tests.store.stores import ENGINES, STORES, Database, database_at, emptied, endpoint_for, engine_at, hosted, opened
from tests.store.world import SCHEMA


@pytest.fixture(scope="module")
def neo4j_526(neo4j_526: Neo4jAddress) -> Neo4jAddress:
    """The long-term support line, emptied for one module: `verify` goes through all that other modules left."""
    return emptied(neo4j_526)


@pytest.fixture(scope="module")
def neo4j_2026(neo4j_2026: Neo4jAddress) -> Neo4jAddress:
    """The newest line, emptied for one module."""
    return emptied(neo4j_2026)


@pytest.fixture(scope="module")
def embedded_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Endpoint]:
    """An embedded database for one module: in one for a session every look went through all that others left."""
    with hosted(tmp_path_factory.mktemp("store")) as endpoint:
        yield endpoint


@pytest.fixture(params=STORES)
def place(request: pytest.FixtureRequest) -> Endpoint | None:
    """Where each store's database is."""
    return endpoint_for(request, request.param)


@pytest.fixture
async def store(place: Endpoint | None) -> AsyncIterator[Store]:
    """Each store, prepared."""
    async with opened(place) as store:
        await store.prepare(SCHEMA)
        yield store


@pytest.fixture(scope="module", params=ENGINES)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    """Where each database with a query language is."""
    return engine_at(request)


@pytest.fixture
async def database(engine_place: Endpoint) -> AsyncIterator[Database]:
    """Each store with a query language, prepared."""
    async with database_at(FixedEndpoint(engine_place), engine_place) as database:
        await database.store.prepare(SCHEMA)
        yield database
