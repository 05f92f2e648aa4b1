"""The hooks of clients, answered beside a server that has the memory open: `r-memory hook` of the same settings meets
it at a socket in a folder of the user's cache that is open to nobody else (`gates/calling.py`).
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

from r_memory.config.settings import Settings
from r_memory.gates.calling import GREETING, MOST_INPUT, meeting_place
from r_memory.gates.hooks import Sessions, answer
from r_memory.memory import Memory
from r_memory.wiring import gates_over


@asynccontextmanager
async def answering_hooks(settings: Settings, memory: Memory) -> AsyncIterator[None]:
    """Answers the hooks of clients while it is open, if the environment alone defines the memory; does nothing if the
    socket cannot be made.
    """

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, ValueError, EOFError):
            writer.write(GREETING)
            length, event = (await reader.readline()).decode().split()
            if int(length) > MOST_INPUT:
                return
            given = await reader.readexactly(int(length))
            gates = gates_over(memory, settings)  # each time: the policy may be edited meanwhile
            told = await answer(event, given, gates, Sessions(settings.cache_dir / "gates"))
            code, out, said = told.printed
            writer.write(f"{code} {len(out)} {len(said)}\n".encode() + out + said)
            await writer.drain()

    server = None
    # A name too long, a folder that cannot be written, a system without such sockets.
    with suppress(OSError, AttributeError):
        if settings == Settings.from_environment():
            place = Path(meeting_place(os.environ))
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            server = await asyncio.start_unix_server(one, place)
    try:
        yield
    finally:
        if server is not None:
            server.close()
