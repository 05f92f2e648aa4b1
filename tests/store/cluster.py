"""A cluster of Neo4j as its drivers see one: servers that speak Bolt 5.4, of which one leads and some only read.

A double: it keeps no data, and says to every query that it found one row. It keeps what it was asked, by whom, and with
which bookmarks, and does what a cluster does when its leader changes.
"""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from r_memory.store.bolt import Endpoint
from r_memory.store.bolt_wire import packed_message, packstream

_VERSION = bytes((0, 0, 4, 5))
_NAMES = {
    0x01: "HELLO",
    0x02: "GOODBYE",
    0x0F: "RESET",
    0x10: "RUN",
    0x11: "BEGIN",
    0x12: "COMMIT",
    0x13: "ROLLBACK",
    0x2F: "DISCARD",
    0x3F: "PULL",
    0x66: "ROUTE",
    0x6A: "LOGON",
}
_SUCCESS, _RECORD, _IGNORED, _FAILURE = b"\x70", b"\x71", b"\x7e", b"\x7f"
_NOT_A_LEADER = {"code": "Neo.ClientError.Cluster.NotALeader", "message": "No longer the leader."}


@dataclass(frozen=True, slots=True)
class Asked:
    """One message that a server was sent in a transaction or for one."""

    server: int
    name: str
    text: str
    """Of the query."""
    bookmarks: tuple[str, ...]


@dataclass(slots=True)
class Cluster:
    """Three servers; the number of one is its place in `ports`."""

    leader: int | None = 0
    ports: list[int] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    written: int = 0
    """How many transactions were committed or ran by themselves; the last bookmark."""
    elects: tuple[int, int] | None = None
    """Who leads once so many routing tables named nobody."""
    before: Callable[["Cluster", Asked], None] = lambda *_: None
    """Called before a message is answered."""
    hangs_up: bool = False
    """A server that does not lead any more closes its connections instead of saying so."""

    @property
    def endpoint(self) -> Endpoint:
        """The address of its first server, which need not lead."""
        return Endpoint(uri=f"neo4j://127.0.0.1:{self.ports[0]}", user="u", password="p", database="neo4j")

    def by(self, name: str) -> list[Asked]:
        """The messages of one kind, in their order."""
        return [asked for asked in self.asked if asked.name == name]

    def table(self) -> Mapping[str, Any]:
        """The routing table, as any server gives it."""
        if self.leader is None and self.elects:
            left, elected = self.elects
            self.elects = left - 1, elected
            self.leader = None if left > 0 else elected
        every = [f"127.0.0.1:{port}" for port in self.ports]
        writers = [] if self.leader is None else [every[self.leader]]
        readers = [address for address in every if address not in writers]
        roles = {"ROUTE": every, "READ": readers, "WRITE": writers}
        servers = [{"role": role, "addresses": addresses} for role, addresses in roles.items()]
        return {"rt": {"ttl": 300, "db": "neo4j", "servers": servers}}


@asynccontextmanager
async def cluster(**made: Any) -> AsyncIterator[Cluster]:  # noqa: ANN401 - fields of `Cluster`
    """Three servers that listen."""
    whole = Cluster(**made)
    callers: list[asyncio.Task[None]] = []

    def serve(number: int) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            callers.append(asyncio.ensure_future(_Caller(whole, number, reader, writer).answer()))

        return take

    async with AsyncExitStack() as stack:
        for number in range(3):
            server = await stack.enter_async_context(await asyncio.start_server(serve(number), "127.0.0.1"))
            whole.ports.append(server.sockets[0].getsockname()[1])
        yield whole
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)


@dataclass(slots=True)
class _Caller:
    """One connection to one of the servers."""

    cluster: Cluster
    number: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    failed: bool = False
    begun: bool = False
    reads: bool = False

    async def answer(self) -> None:
        with contextlib.suppress(OSError, EOFError), contextlib.closing(self.writer):
            await self.reader.readexactly(20)
            self.writer.write(_VERSION)
            while True:
                tag, fields = await self._message()
                if tag == "GOODBYE" or not self._answered(tag, fields):
                    return

    def _answered(self, name: str, fields: list[Any]) -> bool:
        """Whether the connection stays."""
        extra = next((part for part in reversed(fields) if isinstance(part, dict)), {})
        if name in {"RUN", "BEGIN", "COMMIT"}:
            bookmarks = tuple(extra.get("bookmarks", ()))
            asked = Asked(self.number, name, fields[0] if name == "RUN" else "", bookmarks)
            self.cluster.before(self.cluster, asked)
            self.cluster.asked.append(asked)
        if name == "RESET":
            self.failed = self.begun = False
        if self.failed:
            self._say(_IGNORED)
            return True
        if name == "BEGIN" or (name == "RUN" and not self.begun):
            self.begun, self.reads = name == "BEGIN", extra.get("mode") == "r"
        if name in {"RUN", "COMMIT"} and not self.reads and self.cluster.leader != self.number:
            if self.cluster.hangs_up:
                return False
            self.failed = True
            self._say(_FAILURE, _NOT_A_LEADER)
            return True
        self._succeed(name)
        return True

    def _succeed(self, name: str) -> None:
        told: Mapping[str, Any] = {}
        if name == "HELLO":
            told = {"server": "Neo4j/5.26.0", "connection_id": f"bolt-{self.number}"}
        elif name == "ROUTE":
            told = self.cluster.table()
        elif name == "RUN":
            told = {"fields": ["x"]}
        elif name == "PULL":
            self._say(_RECORD, [self.number])
        if name == "COMMIT" or (name in {"PULL", "DISCARD"} and not self.begun):
            self.cluster.written += 1
            told = {**told, "bookmark": f"b:{self.cluster.written}"}
        self.begun = self.begun and name not in {"COMMIT", "ROLLBACK"}
        self._say(_SUCCESS, told)

    def _say(self, what: bytes, *fields: object) -> None:
        self.writer.write(packed_message(what, *fields))

    async def _message(self) -> tuple[str, list[Any]]:
        message = bytearray()
        while (size := struct.unpack(">H", await self.reader.readexactly(2))[0]) or not message:
            message += await self.reader.readexactly(size)
        buffer = packstream.UnpackableBuffer(message)
        buffer.p = 2
        unpacker = packstream.Unpacker(buffer)
        return _NAMES[message[1]], [unpacker.unpack() for _ in range(message[0] & 0x0F)]
