"""Small values for tests of the conversational memory, and the stores that keep it."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from r_memory.domain.memories import MemoryItem, Vector
from r_memory.protocols import StreamStore
from r_memory.store.bolt import Bolt, Endpoint, FixedEndpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.testing.dict_stream import DictStream
from tests.store.stores import LIBRARY
from tests.store.world import NOW, SCHEMA
from tests.vectors import vector_of

_numbers = itertools.count(1)


def an_item(space: str, observation: str = "I live in Bern.", **changes: object) -> MemoryItem:
    """A turn with an id of its own."""
    number = next(_numbers)
    fields: dict[str, object] = {
        "id": f"memory-{number}",
        "space": space,
        "conversation": "c",
        "speaker": "Ann",
        "observation": observation,
        "created_at": NOW + number,
        "accessed_at": NOW + number,
    }
    return MemoryItem(**{**fields, **changes})  # type: ignore[arg-type]  # a mapping of keyword arguments


def a_vector(*numbers: float, model: str = "mini/2") -> Vector:
    return vector_of(model, numbers or (0.5, -0.25))


@asynccontextmanager
async def opened_stream(endpoint: Endpoint | None) -> AsyncIterator[StreamStore]:
    """A stream store of its own connections; the oracle where there is no endpoint."""
    if endpoint is None:
        yield DictStream()
        return
    bolt = Bolt(FixedEndpoint(endpoint))
    try:
        store = CypherStore(bolt, LIBRARY)
        await store.prepare(SCHEMA)
        yield store.stream
    finally:
        await bolt.close()
