"""The line between `r-memory hook` and a running server of the same settings, which has everything loaded.

Both sides meet at a socket in a folder of the user's cache that is open to nobody else; its name stands for the
installed code and the environment. The caller's side needs the standard library alone, and gives up without a word:
the hook then opens the memory itself.
"""

import asyncio
import hashlib
import json
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

from r_memory.config.files import user_folder

MOST_INPUT = 2 * 1024 * 1024
"""Bytes of an event."""
_GREETING = b"r-memory hooks\n"
_GREETING_S, _ANSWER_S = 1.0, 50.0
Answering = Callable[[str, bytes], Awaitable[Mapping[str, Any]]]
"""Gives `data`, `code` and `said` for an event and what the client sent."""


def asked(event: str, given: bytes) -> Mapping[str, Any] | None:
    """What a running server answers; `None` where there is none."""
    if not hasattr(socket, "AF_UNIX") or len(given) > MOST_INPUT:
        return None
    with socket.socket(socket.AF_UNIX) as line, suppress(OSError, ValueError):
        place = meeting_place(os.environ)
        if place.stat().st_uid != os.getuid():
            return None
        line.settimeout(_GREETING_S)
        line.connect(str(place))
        with line.makefile("rwb") as stream:
            if stream.readline() != _GREETING:
                return None
            line.settimeout(_ANSWER_S)
            stream.write(json.dumps([event, given.decode("utf-8", "surrogateescape")]).encode() + b"\n")
            stream.flush()
            found: Mapping[str, Any] = json.loads(stream.readline())
            return found
    return None


def meeting_place(environ: Mapping[str, str]) -> Path:
    """Where a server and the hooks of one environment meet."""
    given = sorted((name, value) for name, value in environ.items() if name.startswith("R_MEMORY_"))
    code = Path(__file__)
    same = json.dumps([str(code), code.stat().st_mtime_ns, str(user_folder("data")), given])
    folder = Path(environ.get("R_MEMORY_CACHE_DIR") or user_folder("cache")).expanduser().absolute()
    return folder / "hooks" / hashlib.sha256(same.encode()).hexdigest()[:16]


@asynccontextmanager
async def answering(answer: Answering) -> AsyncIterator[None]:
    """Answers hooks while the body runs; where no such socket can be made, nobody does."""

    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, ValueError):
            writer.write(_GREETING)
            event, given = json.loads(await reader.readline())
            told = await answer(event, given.encode("utf-8", "surrogateescape"))
            writer.write(json.dumps(told).encode() + b"\n")
            await writer.drain()

    server = None
    # A name too long, a folder that cannot be written, a system without such sockets.
    with suppress(OSError, AttributeError):
        place = meeting_place(os.environ)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        server = await asyncio.start_unix_server(one, place, limit=8 * MOST_INPUT)
    try:
        yield
    finally:
        if server is not None:
            server.close()
