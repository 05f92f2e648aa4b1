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
from tests.store.stores import LIBRARY

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


async def _pumped(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()


@pytest.mark.anyio
async def test_a_call_that_somebody_waits_for_is_told_in_time(embedded_endpoint: Endpoint) -> None:
    busy = Busy(silent=1)
    async with busy.before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.2, patience=PATIENCE)
        with pytest.raises(StoreUnavailable, match=r"did not answer within 0\.2 s"):
            await bolt.read(HEALTH, STATUSES)
        await bolt.close()
    assert busy.taken == 1


@pytest.mark.anyio
async def test_work_in_bulk_asks_again_and_goes_on(embedded_endpoint: Endpoint) -> None:
    busy = Busy(silent=2)
    async with busy.before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.2, patience=replace(PATIENCE, limit_s=1.0))
        with unhurried():
            rows = await bolt.read(HEALTH, STATUSES)
        await bolt.close()
    assert (len(rows), busy.taken) == (1, 3)


@pytest.mark.anyio
async def test_work_in_bulk_ends_where_nobody_ever_answers(embedded_endpoint: Endpoint) -> None:
    busy = Busy(silent=9)
    async with busy.before(embedded_endpoint) as way:
        bolt = Bolt(FixedEndpoint(way), limit_s=0.1, patience=replace(PATIENCE, limit_s=0.2))
        with unhurried(), pytest.raises(StoreUnavailable, match=r"did not answer within 0\.2 s"):
            await bolt.read(HEALTH, STATUSES)
        await bolt.close()
    assert busy.taken == 3
