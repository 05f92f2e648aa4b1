"""Which process hosts the database of one folder: a lock of the operating system, and a note for everybody else.

The lock ends with its process, however that ends, so it never goes stale; the note may, and is believed only once its
host has proved itself (`host_proof`).
Knows nothing of the database itself. Only importer of filelock.
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
    """Where the present host answers, and what opens it."""

    port: int = 0
    """0 until the database is started."""
    proof_port: int = 0
    """Where it proves itself."""
    secret: str = field(repr=False)
    """Of the login that may write."""
    reader_secret: str = field(repr=False)
    pid: int
    machine: str
    """Name of the computer or container; loopback reaches nowhere else."""

    @classmethod
    def of_this_process(cls) -> Self:
        """That of a host to be: every start has passwords of its own, of 192 random bits each."""
        secret, reader_secret = secrets.token_urlsafe(_SECRET_BYTES), secrets.token_urlsafe(_SECRET_BYTES)
        return cls(secret=secret, reader_secret=reader_secret, pid=os.getpid(), machine=socket.gethostname())


class HostLock:
    """A lock of one folder, that of its host unless another is named. Two objects exclude each other even within one
    process.
    """

    def __init__(self, folder: Path, name: str = LOCK_NAME) -> None:
        # Not thread-local: taken in a worker thread and released in another.
        # No soft fall-back: a mere file would outlive a killed host.
        self._lock = FileLock(
            folder / name, mode=0o600, thread_local=False, fallback_to_soft=False, poll_interval=_POLL_SECONDS
        )

    def take(self, *, patience_s: float = 0.0) -> bool:
        """Whether this object holds the lock now, after waiting up to `patience_s` seconds for another holder.

        Raises:
            OSError: the file cannot be written, or its file system knows no locks.
        """
        if self._lock.is_locked:
            return True
        try:
            self._lock.acquire(timeout=patience_s)
        except Timeout:
            return False
        return True

    def release(self) -> None:
        """Lets others host; harmless if not held."""
        self._lock.release(force=True)


def is_free(folder: Path) -> bool:
    """Whether no process is seen to host at this moment: also where the lock cannot be tried."""
    lock = HostLock(folder)
    try:
        free = lock.take()
    except OSError:
        return True
    lock.release()
    return free


def announce(folder: Path, announcement: Announcement) -> None:
    """Leaves the note, readable by the owner only, whole or not at all."""
    draft = folder / f"{NOTE_NAME}.{os.getpid()}-{secrets.token_hex(4)}"
    try:
        write_private(draft, json.dumps(asdict(announcement)))
        draft.replace(folder / NOTE_NAME)
    finally:
        draft.unlink(missing_ok=True)


def announced(folder: Path) -> Announcement | None:
    """The note that lies there, stale or not; `None` where there is none that can be read."""
    try:
        return decoded(Announcement, json.loads((folder / NOTE_NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, InvalidInput):
        return None


def withdraw(folder: Path) -> None:
    """Takes the note away, if it is there and can be."""
    with contextlib.suppress(OSError):
        (folder / NOTE_NAME).unlink(missing_ok=True)


def write_private(path: Path, text: str) -> None:
    """Writes a file that only the owner may read; on Windows the folder's own rules decide."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
