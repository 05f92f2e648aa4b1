"""Work in bulk waits for a store that is slow; a call that somebody waits for gives up in time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import pytest

from r_memory.errors import StoreUnavailable
from r_memory.protocols import unhurried
from r_memory.store.bolt import Bolt, Endpoint, FixedEndpoint, Patience
from r_memory.store.cypher_store import CypherStore
from tests.store.stores import LIBRARY
from tests.store.world import SCHEMA

HEALTH = LIBRARY["read/health"]
STATUSES = {"statuses": ["pending"]}
PATIENCE = Patience(limit_s=5.0, attempts=3, pause_s=0)


@dataclass(slots=True)
class Busy:
    """A way to a database that takes its first callers and says nothing to them."""

    silent: int
    taken: int = 0

    @asynccontextmanager
    async def before(self, endpoint: Endpoint) -> AsyncIterator[Endpoint]:
        """The address of the way."""
        there = urlsplit(endpoint.uri)
        ended = asyncio.Event()

        callers: list[asyncio.Task[None]] = []

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.taken += 1
            if self.taken <= self.silent:
                await ended.wait()
            else:
                far = await asyncio.open_connection(there.hostname, there.port)
                await asyncio.gather(_pumped(reader, far[1]), _pumped(far[0], writer))
            writer.close()
            await writer.wait_closed()

        def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            callers.append(asyncio.ensure_future(take(reader, writer)))

        server = await asyncio.start_server(taken, "127.0.0.1")
        port = server.sockets[0].getsockname()[1]
        yield replace(endpoint, uri=f"bolt://127.0.0.1:{port}")
        ended.set()
        server.close()
        await asyncio.gather(*callers)


async def _pumped(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wait_for: tuple[bytes, asyncio.Event] | None = None
) -> None:
    """Everything that comes; what holds certain bytes only once something happened."""
    while data := await reader.read(65536):
        if wait_for and wait_for[0] in data:
            await wait_for[1].wait()
        writer.write(data)
    writer.close()


@dataclass(slots=True, kw_only=True)
class Cold:
    """A way to a database that answers its first queries only after some time, as one does that was just started."""

    warm_after_s: float

    @asynccontextmanager
    async def before(self, endpoint: Endpoint) -> AsyncIterator[Endpoint]:
        """The address of the way; connections are taken at once, as a started database does."""
        there, warm = urlsplit(endpoint.uri), asyncio.Event()
        callers: list[asyncio.Task[None]] = []

        async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            near, far = await asyncio.open_connection(there.hostname, there.port)
            await asyncio.gather(_pumped(reader, far, wait_for=(b"RETURN", warm)), _pumped(near, writer))
            writer.close()

        def taken(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            callers.append(asyncio.ensure_future(take(reader, writer)))

        server = await asyncio.start_server(taken, "127.0.0.1")
        asyncio.get_running_loop().call_later(self.warm_after_s, warm.set)
        yield replace(endpoint, uri=f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        server.close()
        await asyncio.gather(*callers)


@pytest.mark.anyio
async def test_the_first_contact_waits_for_a_database_that_was_just_started(embedded_endpoint: Endpoint) -> None:
    """Found by attack: `doctor` and the first call gave up after the time of a usual read."""
    async with Cold(warm_after_s=1.0).before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.3)
        store = CypherStore(bolt, LIBRARY)
        health = await store.health()
        await store.prepare(SCHEMA)
        await store.close()
    assert health.latency_ms > 300


@pytest.mark.anyio
async def test_a_call_that_somebody_waits_for_is_told_in_time(embedded_endpoint: Endpoint) -> None:
    busy = Busy(silent=1)
    async with busy.before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.2, patience=PATIENCE)
        with pytest.raises(StoreUnavailable, match=r"did not answer within 0\.2 s"):
            await bolt.run(HEALTH, STATUSES)
        await bolt.close()
    assert busy.taken == 1


@pytest.mark.anyio
async def test_work_in_bulk_asks_again_and_goes_on(embedded_endpoint: Endpoint) -> None:
    busy = Busy(silent=2)
    async with busy.before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.2, patience=replace(PATIENCE, limit_s=1.0))
        with unhurried():
            rows = await bolt.run(HEALTH, STATUSES)
        await bolt.close()
    assert (len(rows), busy.taken) == (1, 3)


@pytest.mark.anyio
async def test_work_in_bulk_ends_where_nobody_ever_answers(embedded_endpoint: Endpoint) -> None:
    busy = Busy(silent=9)
    async with busy.before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.1, patience=replace(PATIENCE, limit_s=0.2))
        with unhurried(), pytest.raises(StoreUnavailable, match=r"did not answer within 0\.2 s"):
            await bolt.run(HEALTH, STATUSES)
        await bolt.close()
    assert busy.taken == 3
