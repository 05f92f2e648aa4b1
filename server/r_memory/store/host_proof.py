"""How a host proves that it wrote the note of a folder, before it is sent a password or a query.

After a host has ended, any account of the machine may take its port and speak Bolt there. A host therefore listens at a
second port: a caller sends random bytes, and the host answers with a digest of them and both secrets of the note. An
answer after a connection to the database was made proves that connection too, because a process keeps its ports while
it lives, and stops proving before it releases them.

TLS, which ArcadeDB speaks as well, was not chosen: this works for the driver and `bolt_wire` alike, needs no
certificate and adds no cost to messages. A socket in the folder was not chosen: Windows and the driver have none.
"""

import asyncio
import contextlib
import hashlib
import hmac
import secrets
import socket
import threading

from r_memory.store.host_lock import LOOPBACK, Announcement

_CHALLENGE_BYTES = 32
_PATIENCE_S = 5.0
"""Time limit of an answer in seconds, the driver's own limit for connections: a busy machine may be slow."""


class Prover:
    """Answers challenges in its own thread, from its creation until `close`."""

    def __init__(self, listening: socket.socket, note: Announcement) -> None:
        """`listening` is the socket of the note's `proof_port`."""
        self._listening = listening
        self._note = note
        self._loop = asyncio.new_event_loop()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="r-memory-proof", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stops answering; returns when no challenge is in work."""
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, sock=self._listening)
        await self._ended.wait()
        server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError, EOFError, TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                challenge = await reader.readexactly(_CHALLENGE_BYTES)
                writer.write(_digest(self._note, challenge))
                await writer.drain()


def listening() -> socket.socket:
    """A socket for a `Prover`, at a free port.

    Raises:
        OSError: no port is free.
    """
    return socket.create_server((LOOPBACK, 0))


def is_alive(note: Announcement) -> bool:
    """Whether the host that wrote the note proves it now; this also proves all connections made to its port before."""
    challenge = secrets.token_bytes(_CHALLENGE_BYTES)
    try:
        with socket.create_connection((LOOPBACK, note.proof_port), timeout=_PATIENCE_S) as line:
            line.sendall(challenge)
            answer = line.recv(hashlib.sha256().digest_size)
    except (OSError, OverflowError):  # a note may name a port that is none
        return False
    return hmac.compare_digest(answer, _digest(note, challenge))


def answers(note: Announcement) -> bool:
    """Whether the host that wrote the note accepts connections to its database now."""
    try:
        with socket.create_connection((LOOPBACK, note.port), timeout=_PATIENCE_S):
            return is_alive(note)
    except (OSError, OverflowError):
        return False


def _digest(note: Announcement, challenge: bytes) -> bytes:
    key = f"{note.secret}\n{note.reader_secret}".encode()
    return hmac.digest(key, f"{note.port}\n".encode() + challenge, "sha256")
