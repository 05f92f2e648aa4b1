"""The four stores that keep one contract, opened the same way."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from neo4j import GraphDatabase

from r_memory.config.files import packaged_defaults
from r_memory.protocols import Store
from r_memory.store.bolt import Bolt, Endpoint, EndpointSource, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.embedded import EmbeddedArcade
from r_memory.store.library import load_library
from r_memory.store.queries import Query
from r_memory.testing.dict_store import DictStore
from tests.neo4j_servers import Neo4jAddress

EngineName = Literal["embedded", "neo4j_526", "neo4j_2026"]
PATIENCE_S = 240.0
"""Seconds for an answer: machines are busy, and how long a store may take is tested elsewhere."""
ENGINES = (
    "embedded",
    pytest.param("neo4j_526", marks=pytest.mark.neo4j),
    pytest.param("neo4j_2026", marks=pytest.mark.neo4j),
)
STORES = ("dict", *ENGINES)
NEWEST = (ENGINES[0], ENGINES[2])
"""For what our own code does with the rows: that both lines of Neo4j give them alike, the contract proves."""
LIBRARY = load_library(lambda path: (packaged_defaults() / path).read_text(encoding="utf-8"), packaged_defaults())


@dataclass(frozen=True, slots=True)
class Database:
    """A store over Cypher, with a way around it."""

    store: CypherStore
    bolt: Bolt
    endpoint: Endpoint

    async def run(self, text: str, **parameters: object) -> list[dict[str, object]]:
        """Rows of any query, committed: what somebody with a console could do."""
        query = Query(path="by hand", description="", mode="write", text=text, parameters=(), names=(), returns=())
        return await self.bolt.run(query, parameters)


@contextmanager
def hosted(folder: Path) -> Iterator[Endpoint]:
    """An embedded database that this process hosts."""
    arcade = EmbeddedArcade(folder)
    yield asyncio.run(arcade.endpoint(refresh=False))
    asyncio.run(arcade.close())


def emptied(address: Neo4jAddress) -> Neo4jAddress:
    """The server, once everything that tests left in its database is deleted; keys and indexes stay."""
    with (
        GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
        driver.session() as session,
    ):
        session.run("MATCH (node) CALL (node) { DETACH DELETE node } IN TRANSACTIONS OF 5000 ROWS").consume()
    return address


def endpoint_for(request: pytest.FixtureRequest, name: str) -> Endpoint | None:
    """Where the engine of this name listens; started on first use. `None` for the store that needs none."""
    if name == "dict":
        return None
    if name == "embedded":
        endpoint: Endpoint = request.getfixturevalue("embedded_endpoint")
        return endpoint
    address: Neo4jAddress = request.getfixturevalue(name)
    return Endpoint(uri=address.uri, user=address.user, password=address.password)


def engine_at(request: pytest.FixtureRequest) -> Endpoint:
    """Where the engine listens that a parametrised fixture asks for."""
    endpoint = endpoint_for(request, request.param)
    assert endpoint is not None
    return endpoint


@asynccontextmanager
async def opened(endpoint: Endpoint | None) -> AsyncIterator[Store]:
    """A store of its own connections over the engine at this address; the oracle where there is none."""
    if endpoint is None:
        yield DictStore()
        return
    async with database_at(FixedEndpoint(endpoint), endpoint) as database:
        yield database.store


@asynccontextmanager
async def database_at(source: EndpointSource, endpoint: Endpoint) -> AsyncIterator[Database]:
    """A store that finds its database through `source`."""
    bolt = Bolt(source, limit_s=PATIENCE_S)
    store = CypherStore(bolt, LIBRARY)
    try:
        yield Database(store=store, bolt=bolt, endpoint=endpoint)
    finally:
        await store.close()
