"""Somebody else at the port of a host that ended: any account of the machine may listen there.

Knows no secret of the store; what it is sent it keeps, for the tests to look at.
"""

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from r_memory.store.bolt import Endpoint
from r_memory.store.bolt_wire import packed_message

Manner = Literal["bolt", "another protocol", "rubbish", "closes", "silent"]
"""Speaks Bolt, in front of a database of its own; answers in another way, or nonsense; hangs up; says nothing."""
_SAYS = {"another protocol": b"SSH-2.0-OpenSSH_9.6\r\n", "rubbish": b"\xff\xff\xff\xff\xff\xff\xff"}
_GREETING_BYTES = 20
_LOGON = 0x6A


@dataclass(slots=True)
class StandIn:
    """Whoever listens, and everything that it was sent."""

    manner: Manner
    own: Endpoint
    """Of a database of its own, which it answers from."""
    heard: bytearray = field(default_factory=bytearray)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One caller, until it leaves."""
        with contextlib.suppress(OSError, EOFError), contextlib.closing(writer):
            if self.manner == "bolt":
                await self._spoken(reader, writer)
            elif self.manner != "closes":
                while data := await reader.read(65_536):
                    self.heard += data
                    writer.write(_SAYS.get(self.manner, b""))

    async def _spoken(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = urlsplit(self.own.uri)
        back, forth = await asyncio.open_connection(there.hostname, there.port)
        returning = asyncio.ensure_future(_copied(back, writer))
        try:
            greeting = await reader.readexactly(_GREETING_BYTES)
            self.heard += greeting
            forth.write(greeting)
            while message := await _message(reader):
                self.heard += message
                forth.write(self._logon() if message[1] == _LOGON else _chunked(message))
        finally:
            forth.close()
            await returning

    def _logon(self) -> bytes:
        """Its own login instead of what it was given: any password opens it."""
        login = {"scheme": "basic", "principal": self.own.user, "credentials": self.own.password}
        return packed_message(bytes([_LOGON]), login)


@asynccontextmanager
async def stand_in(ports: Sequence[int], manner: Manner, own: Endpoint) -> AsyncIterator[StandIn]:
    """Takes the ports, which must be free."""
    standing = StandIn(manner, own)
    callers: list[asyncio.Task[None]] = []

    def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        callers.append(asyncio.ensure_future(standing.answer(reader, writer)))

    async with AsyncExitStack() as stack:
        for port in ports:
            await stack.enter_async_context(await asyncio.start_server(take, "127.0.0.1", port))
        yield standing
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)


async def _copied(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
        writer.close()


async def _message(reader: asyncio.StreamReader) -> bytes:
    """The next message without its chunks."""
    message = b""
    while size := int.from_bytes(await reader.readexactly(2)):
        message += await reader.readexactly(size)
    return message


def _chunked(message: bytes) -> bytes:
    chunks = [message[place : place + 0xFFFF] for place in range(0, len(message), 0xFFFF)]
    return b"".join(struct.pack(">H", len(chunk)) + chunk for chunk in chunks) + b"\0\0"
