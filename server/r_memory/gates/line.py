"""The server's side of the line between `r-memory hook` and a running server of the same settings, which has everything
loaded. Both meet at a socket in a folder of the user's cache that is open to nobody else (`calling.py`).
"""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

from r_memory.gates.calling import GREETING, MOST_INPUT, meeting_place

Answering = Callable[[str, bytes], Awaitable[tuple[int, bytes, bytes]]]
"""Returns exit code, output and errors for an event and the client's input."""


@asynccontextmanager
async def answering(answer: Answering) -> AsyncIterator[None]:
    """Answers hooks while the body runs; does nothing if the socket cannot be made."""

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, ValueError, EOFError):
            writer.write(GREETING)
            length, event = (await reader.readline()).decode().split()
            if int(length) > MOST_INPUT:
                return
            code, out, said = await answer(event, await reader.readexactly(int(length)))
            writer.write(f"{code} {len(out)} {len(said)}\n".encode() + out + said)
            await writer.drain()

    server = None
    # A name too long, a folder that cannot be written, a system without such sockets.
    with suppress(OSError, AttributeError):
        place = Path(meeting_place(os.environ))
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        server = await asyncio.start_unix_server(one, place)
    try:
        yield
    finally:
        if server is not None:
            server.close()
