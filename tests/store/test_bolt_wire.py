"""The short way of single queries to the embedded engine: the answers are the driver's, and nobody gets another's."""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from r_memory.errors import StoreError, StoreUnavailable
from r_memory.store.bolt import Bolt, Endpoint, FixedEndpoint
from r_memory.store.bolt_wire import Run, Unusual, Wires
from r_memory.store.queries import Query, parse_query

pytestmark = pytest.mark.anyio

NUMBERS = list(range(40_000))
VERSION = bytes((0, 0, 4, 5))


def query(text: str, mode: str = "read") -> Query:
    return parse_query(
        "test/query", f"// A query.\n//\n// mode: {mode}\n// param $value: anything\n// returns: x\n{text}"
    )


@asynccontextmanager
async def wires_to(endpoint: Endpoint) -> AsyncIterator[Wires]:
    wires = Wires(endpoint.uri, (endpoint.user, endpoint.password), endpoint.database or "", prove=_proved)
    yield wires
    wires.close()


async def _proved() -> None:
    """Whoever is there is believed."""


@asynccontextmanager
async def server_that_says(*answers: bytes, stays: bool = False) -> AsyncIterator[Endpoint]:
    """Somebody who gives one of these answers to each message that comes, and then leaves or says no more."""

    callers: list[asyncio.Task[None]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for item in answers:
            await reader.read(65_536)
            writer.write(item)
        if stays:
            await reader.read()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(
        lambda *wires: callers.append(asyncio.ensure_future(answer(*wires))), "127.0.0.1"
    )
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield Endpoint(uri=f"bolt://127.0.0.1:{port}", user="u", password="p", database="d", engine="arcadedb")
        await asyncio.gather(*callers)


def said(*messages: bytes) -> bytes:
    return b"".join(struct.pack(">H", len(message)) + message + b"\0\0" for message in messages)


WELCOME = VERSION + said(b"\xb1\x70\xa0", b"\xb1\x70\xa0")


async def test_what_is_sent_and_what_comes_back_may_be_longer_than_a_chunk(embedded_endpoint: Endpoint) -> None:
    """A chart of many facts is."""
    async with wires_to(embedded_endpoint) as wires:
        value = {"numbers": NUMBERS, "words": "ä" * 100_000, "none": None, "share": 0.5, "yes": True}

        assert await wires.read("RETURN $value AS x, 1 AS y", {"value": value}) == [{"x": value, "y": 1}]


async def test_many_at_once_each_get_their_own_answer(embedded_endpoint: Endpoint) -> None:
    async with wires_to(embedded_endpoint) as wires:
        answers = await asyncio.gather(*(wires.read("RETURN $value AS x", {"value": item}) for item in range(50)))

        assert [[{"x": item}] for item in range(50)] == answers


async def test_who_gives_up_leaves_no_answer_to_the_next(embedded_endpoint: Endpoint) -> None:
    """Another patient's facts would be the worst of answers."""
    async with wires_to(embedded_endpoint) as wires:
        await wires.read("RETURN 0 AS x", {})
        slow = asyncio.create_task(wires.read("UNWIND $value AS one RETURN sum(one) AS x", {"value": NUMBERS}))
        await asyncio.sleep(0)
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)

        assert await wires.read("RETURN 7 AS x", {}) == [{"x": 7}]


async def test_a_write_that_fails_leaves_nothing(embedded_endpoint: Endpoint) -> None:
    async with wires_to(embedded_endpoint) as wires:
        with pytest.raises(Unusual):
            await wires.write("CREATE (one:WireProbe) WITH one RETURN one.x / 0 AS x, nothing AS y", {})

        assert await wires.read("MATCH (one:WireProbe) RETURN count(one) AS x", {}) == [{"x": 0}]


async def test_what_is_given_up_halfway_leaves_nothing_and_holds_up_nobody(embedded_endpoint: Endpoint) -> None:
    async with wires_to(embedded_endpoint) as wires:

        async def halfway(run: Run) -> None:
            await run("MERGE (one:WireHalf {id: 1}) SET one.by = 'first'", {})
            raise LookupError

        async def whole(run: Run) -> list[dict[str, object]]:
            await run("MERGE (one:WireHalf {id: 1}) SET one.by = 'second'", {})
            return await run("MATCH (one:WireHalf) RETURN one.by AS x", {})

        with pytest.raises(LookupError):
            await wires.together(halfway)

        assert await wires.together(whole) == [{"x": "second"}]
        assert await wires.read("MATCH (one:WireHalf) RETURN one.by AS x", {}) == [{"x": "second"}]


@pytest.mark.parametrize(
    "answers",
    [
        (),
        (b"\0\0\0\4",),
        (VERSION + said(b"\xb1\x7f\xa0"),),
        (WELCOME, said(b"\xb1\x70\xa1\x86fields\x91\x81x", b"\xb1\x7f\xa0")),
        (WELCOME, said(b"\xb1\x70\xa1\x86fields\x91\x81x", b"\xb1\x71\x92\x01\x02")),
        (WELCOME, said(b"\x00")),
        (WELCOME, said(b"\xb1\x70\xa1\x86fields\x91\x81x") + b"\0\3\xb1"),
    ],
    ids=["leaves", "another version", "wrong login", "failure", "row too long", "no message", "half a message"],
)
async def test_whatever_is_not_as_usual_is_said(answers: tuple[bytes, ...]) -> None:
    """Half an answer is none: the driver asks again."""
    async with server_that_says(*answers) as endpoint, wires_to(endpoint) as wires:
        with pytest.raises(Unusual):
            await wires.read("RETURN 1 AS x", {})


async def test_nobody_there_is_said() -> None:
    async with server_that_says() as endpoint:
        pass
    async with wires_to(endpoint) as wires:
        with pytest.raises(Unusual):
            await wires.read("RETURN 1 AS x", {})


async def test_the_driver_answers_what_the_short_way_cannot(embedded_endpoint: Endpoint) -> None:
    """Somebody may have edited a query so that it returns a node, or written one that fails."""
    bolt = Bolt(FixedEndpoint(embedded_endpoint))
    await bolt.run(query("MERGE (one:WireNode {id: $value}) RETURN 1 AS x", "write"), {"value": "a"})

    [row] = await bolt.run(query("MATCH (one:WireNode {id: $value}) RETURN one AS x"), {"value": "a"})

    assert dict(row["x"]) == {"id": "a"}
    with pytest.raises(StoreError):
        await bolt.run(query("RETURN missing($value) AS x"), {"value": "a"})
    await bolt.close()


async def test_a_connection_that_died_is_replaced(embedded_endpoint: Endpoint) -> None:
    async with wires_to(embedded_endpoint) as wires:
        bolt = Bolt(FixedEndpoint(embedded_endpoint))
        assert await bolt.run(query("RETURN $value AS x"), {"value": 1}) == [{"x": 1}]
        link = await bolt._linked(None)
        assert link.wires is not None
        for connection in link.wires._idle:
            connection.close()
        await asyncio.sleep(0)

        assert await bolt.run(query("RETURN $value AS x"), {"value": 2}) == [{"x": 2}]
        assert await wires.read("RETURN 3 AS x", {}) == [{"x": 3}]
        await bolt.close()


async def test_a_server_that_says_nothing_is_given_up_in_time() -> None:
    async with server_that_says(WELCOME, stays=True) as endpoint:
        bolt = Bolt(FixedEndpoint(endpoint), limit_s=0.2)

        with pytest.raises(StoreUnavailable):
            await bolt.run(query("RETURN $value AS x"), {"value": 1})
        await bolt.close()
