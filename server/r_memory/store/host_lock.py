"""Which process hosts the database of a folder: a lock of the operating system, and a note with the address.

The lock ends with its process, so it is never stale. The note may be stale, and is used only after its host has proved
its identity (`host_proof`).
It knows nothing of the database. It is the only importer of filelock.
"""

import contextlib
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

from r_memory.domain.codec import decoded
from r_memory.errors import InvalidInput

LOCK_NAME = "host.lock"
SETUP_LOCK_NAME = "setup.lock"
NOTE_NAME = "endpoint.json"
LOOPBACK = "127.0.0.1"
_POLL_SECONDS = 0.01
_SECRET_BYTES = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Address and login of the present host."""

    port: int = 0
    """Port of the database; 0 until it is started."""
    proof_port: int = 0
    """Port at which the host proves its identity."""
    secret: str = field(repr=False)
    """Password of the login that may write."""
    reader_secret: str = field(repr=False)
    pid: int
    machine: str
    """Name of the computer or container; loopback addresses work only there."""

    @classmethod
    def of_this_process(cls) -> Self:
        """An announcement of this process before it hosts; every start has new passwords of 192 random bits."""
        secret, reader_secret = secrets.token_urlsafe(_SECRET_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        return cls(secret=secret, reader_secret=reader_secret, pid=os.getpid(), machine=socket.gethostname())


class HostLock:
    """A lock of one folder: the lock of its host, unless `name` says otherwise.

    Two objects exclude each other even in one process.
    """

    def __init__(self, folder: Path, name: str = LOCK_NAME) -> None:
        # Not thread-local: taken in a worker thread and released in another.
        # No soft fall-back: a mere file would outlive a killed host.
        self._lock = FileLock(
            folder / name, mode=0o600, thread_local=False, fallback_to_soft=False, poll_interval=_POLL_SECONDS
        )

    def take(self, *, patience_s: float = 0.0) -> bool:
        """Tries to take the lock, for up to `patience_s` seconds; returns whether this object holds it.

        Raises:
            OSError: the file cannot be written, or its file system has no locks.
        """
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=patience_s)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Releases the lock; does nothing if it is not held."""
        self._lock.release(force=True)


def is_free(folder: Path) -> bool:
    """Whether no process seems to host at this moment; true also if the lock cannot be tried."""
    lock = HostLock(folder)
    try:
        free = lock.take()
    except OSError:
        return True
    lock.release()
    return free


def announce(folder: Path, announcement: Announcement) -> None:
    """Writes the note atomically, readable by the owner only."""
    draft = folder / f"{NOTE_NAME}.{os.getpid()}-{secrets.token_hex(4)}"
    try:
        write_private(draft, json.dumps(asdict(announcement)))
        draft.replace(folder / NOTE_NAME)
    finally:
        draft.unlink(missing_ok=True)


def announced(folder: Path) -> Announcement | None:
    """The note, which may be stale; `None` if there is no readable one."""
    try:
        return decoded(Announcement, json.loads((folder / NOTE_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, InvalidInput):
        return None


def withdraw(folder: Path) -> None:
    """Deletes the note if it exists and can be deleted."""
    with contextlib.suppress(OSError):
        (folder / NOTE_NAME).unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """Writes a file that only the owner may read; on Windows the rights of the folder apply."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
