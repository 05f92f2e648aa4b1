"""What `doctor` looks at on this machine: settings, files, folder, engine, and who hosts the store.

Each check is a function that gives what it found; none changes anything, and none ever shows a password.
"""

import importlib.util
import os
import platform
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from r_memory.cli.inspection import findings
from r_memory.config.settings import Settings
from r_memory.errors import ConfigurationError
from r_memory.reading.taught.weights import Absent, find_weights
from r_memory.store.host_lock import HostLock, announced
from r_memory.talk.modes import modes
from r_memory.wiring.talk import check_profile

Level = Literal["fine", "note", "trouble"]

ROOM_NEEDED = 200 * 2**20
"""Bytes that an embedded store should find free: its own log takes up to a tenth of it before it is folded."""
_NEO4J = "set a Neo4j address: R_MEMORY_STORE_URI=neo4j://HOST:7687"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    check: str
    level: Level
    what: str
    why: str = ""
    """What it means to whoever uses the memory; empty where all is well."""
    remedy: str = ""
    store_down: bool = False
    """The memory cannot be read or written as it is."""


Check = Callable[[Settings], Iterator[Finding]]


def local_findings(settings: Settings) -> tuple[Finding, ...]:
    """Everything that can be seen without the store."""
    here: tuple[Check, ...] = (files, reader, conversation)
    checks = (*here, folder, room, engine, host) if settings.embedded else here
    return tuple(finding for check in checks for finding in check(settings))


def wrong_settings(error: ConfigurationError) -> Finding:
    """Settings that cannot be used; nothing else can be looked at."""
    return Finding(
        check="settings",
        level="trouble",
        what=str(error),
        why="nothing starts with these settings, and it is not known which store is meant",
        remedy="mend the place named, then run `r-memory doctor` again",
    )


def files(settings: Settings) -> Iterator[Finding]:
    """Schema, action types and knowledge pack, as `r-memory check` sees them."""
    errors = [finding for finding in findings(settings) if finding.severity == "error"]
    for wrong in errors:
        yield Finding(
            check="files",
            level="trouble",
            what=wrong.text,
            why="the server refuses to start rather than guess what is critical",
            remedy="mend the line named, then run `r-memory check`",
        )
    if not errors:
        where = settings.home or "the shipped defaults"
        yield Finding(check="files", level="fine", what=f"schema '{settings.schema}' and its files fit ({where})")


def conversation(settings: Settings) -> Iterator[Finding]:
    """How conversations are remembered: the usual mode, and what the file changes of each.

    Raises:
        ConfigurationError: a mode of the file cannot be used.
    """
    known = modes(settings.conversation)
    check_profile(settings, known)
    own = (f"{name}: {_switches(written)}" for name, written in settings.conversation.items())
    what = f"mode '{settings.profile}' of {', '.join(known)}"
    yield Finding(check="conversation", level="fine", what="; ".join([what, *own]))


def _switches(written: object) -> str:
    return ", ".join(f"{key} {value}" for key, value in written.items()) if isinstance(written, Mapping) else ""


def reader(settings: Settings) -> Iterator[Finding]:
    """Whether utterances are read by the taught reader as well, or by the closed rules alone."""
    try:
        weights = find_weights()
    except ConfigurationError as error:
        yield Finding(
            check="reader",
            level="trouble",
            what=str(error),
            why="the server refuses to start rather than read with weights that do not fit",
            remedy="run `pip install --force-reinstall r-memory`",
        )
        return
    if isinstance(weights, Absent) or settings.schema not in weights.labels.domains:
        what = weights.reason if isinstance(weights, Absent) else f"none is taught for schema '{settings.schema}'"
        yield Finding(
            check="reader",
            level="note",
            what=f"no taught reader: {what}",
            why="closed rules read alone, and what they do not understand about something watched waits for a person",
        )
        return
    yield Finding(check="reader", level="fine", what=f"closed rules and taught reader {weights.labels.version}")


def engine(settings: Settings) -> Iterator[Finding]:
    """Whether the embedded database is installed; there is no wheel for some platforms."""
    if importlib.util.find_spec("arcadedb") is not None:
        yield Finding(check="engine", level="fine", what="the embedded database is installed")
        return
    yield Finding(
        check="engine",
        level="trouble",
        what=f"the package arcadedb is not installed on this {sys.platform} {platform.machine()}",
        why=f"it holds the store in {settings.store_dir}; there is no wheel for Intel Macs and for musl (Alpine)",
        remedy=f"{_NEO4J}; elsewhere run `pip install --force-reinstall r-memory`",
        store_down=True,
    )


def folder(settings: Settings) -> Iterator[Finding]:
    """Whether the data folder, or the nearest one above it that exists, can be written and is the owner's alone."""
    there = _nearest(settings.store_dir)
    trouble = _unwritable(settings.store_dir, there)
    if trouble:
        yield Finding(
            check="folder",
            level="trouble",
            what=trouble,
            why=f"the embedded store keeps everything in {settings.store_dir}; nothing can be remembered",
            remedy=f"make it writable for this user, or name another folder with R_MEMORY_DATA_DIR, or {_NEO4J}",
            store_down=True,
        )
    elif there == settings.store_dir and _open_to_others(there):
        yield Finding(
            check="folder",
            level="note",
            what=f"{there} can be entered by other users of this machine",
            why="it holds what people said about their health, and the key of the running store",
            remedy=f"run `chmod -R go= {there}`",
        )
    else:
        yield Finding(check="folder", level="fine", what=f"{there} can be written")


def room(settings: Settings) -> Iterator[Finding]:
    """Whether the disk has room left."""
    free = shutil.disk_usage(_nearest(settings.store_dir)).free
    if free >= ROOM_NEEDED:
        yield Finding(check="disk", level="fine", what=f"{free // 2**20} MiB are free")
        return
    yield Finding(
        check="disk",
        level="trouble",
        what=f"only {free // 2**20} MiB are free where {settings.store_dir} lies",
        why="a store without room refuses to remember, and says so",
        remedy="free some room, or name another folder with R_MEMORY_DATA_DIR",
    )


def host(settings: Settings) -> Iterator[Finding]:
    """Who hosts the store, and whether its lock and its note tell the same story."""
    note = announced(settings.store_dir)
    if not settings.store_dir.is_dir():
        yield Finding(check="host", level="fine", what="there is no store yet; the first use makes it")
    elif note is not None and note.answers():
        yield Finding(check="host", level="fine", what=f"process {note.pid} hosts the store and accepts connections")
    elif _somebody_holds(settings.store_dir):
        holder = "a process" if note is None else f"process {note.pid} on {note.machine}"
        yield Finding(
            check="host",
            level="trouble",
            what=f"{holder} holds {settings.store_dir} and does not accept connections",
            why="nobody else can open the store while it does",
            remedy="wait a few seconds if it has just been started; otherwise end that process, or free its machine",
            store_down=True,
        )
    elif note is not None:
        yield Finding(
            check="host",
            level="note",
            what=f"the note of process {note.pid} is stale: it was killed, and nobody holds the lock",
            why="nothing is lost; what was acknowledged is on disk",
            remedy="nothing; the next start takes over and replaces the note",
        )
    else:
        yield Finding(check="host", level="fine", what="nobody hosts the store at the moment; the next use does")


def _nearest(path: Path) -> Path:
    """The path, or the nearest folder above it that exists."""
    return next(place for place in (path, *path.parents) if place.is_dir())


def _unwritable(wanted: Path, there: Path) -> str:
    """Why nothing can be written below the folder that is there; empty if it can be."""
    in_the_way = next((place for place in (wanted, *wanted.parents) if place.exists() and not place.is_dir()), None)
    if in_the_way:
        return f"{in_the_way} is in the way: it is no folder"
    try:
        with tempfile.TemporaryFile(dir=there):
            return ""
    except OSError as error:
        return f"{there} cannot be written ({error.strerror})"


def _open_to_others(path: Path) -> bool:
    return os.name == "posix" and bool(path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO))


def _somebody_holds(store: Path) -> bool:
    """Whether the lock is held; it is let go at once where it was free."""
    lock = HostLock(store)
    try:
        free = lock.take()
    except OSError:
        return False
    lock.release()
    return not free
