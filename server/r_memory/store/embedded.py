"""The embedded database: one of the processes that share a folder hosts it, and all of them reach it over Bolt.

It knows how to start ArcadeDB in this process with durable commits, no open network services and a read-only login, and
how to take over from a host that ended.
It does not know what is stored, and runs no Cypher. It is the only importer of arcadedb.
"""

import asyncio
import errno
import json
import logging
import os
import platform
import socket
import sys
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from r_memory.errors import ConfigurationError, StoreUnavailable
from r_memory.store.bolt import Endpoint
from r_memory.store.embedded_files import DATABASE, LOGGING_RULES, READER, WRITER, FolderLayout
from r_memory.store.formats import FORMAT, later_than_this
from r_memory.store.host_lock import (
    LOOPBACK,
    SETUP_LOCK_NAME,
    Announcement,
    HostLock,
    announce,
    announced,
    is_free,
    withdraw,
)
from r_memory.store.host_proof import Prover, answers, is_alive, listening

logger = logging.getLogger(__name__)

_PORT_ATTEMPTS = 5
_LOCK_PATIENCE_SECONDS = 0.05
_SETUP_PATIENCE_SECONDS = 60.0
_ISOLATE_ARGUMENTS = "ARCADEDB_NATIVE_ISOLATE_ARGS"
_HEAP = "-Xmx512m"
"""Memory limit of the engine if the environment variable does not set one."""
_NEO4J_INSTEAD = "name a Neo4j in R_MEMORY_STORE_URI"
_ANOTHER_FOLDER = "set R_MEMORY_DATA_DIR to another folder"
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})

_START = threading.Lock()
"""Held during a start: the engine reads the process's environment when it is loaded."""


class _Umask:
    """The umask of the process, restrictive while a database is hosted, because the engine creates files throughout."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._hosts = 0
        self._before = 0

    def tighten(self) -> None:
        with self._mutex:
            if self._hosts == 0:
                self._before = os.umask(0o077)
            self._hosts += 1

    def restore(self) -> None:
        with self._mutex:
            self._hosts -= 1
            if self._hosts == 0:
                os.umask(self._before)


_UMASK = _Umask()


# The engine's package has no stubs.
_Server: TypeAlias = Any
_Database: TypeAlias = Any


class EmbeddedArcade:
    """An `EndpointSource` that finds the database of a folder, and hosts it if no other process does.

    While it hosts, files created by this process are readable by their owner only (umask 077).
    """

    def __init__(self, folder: Path, *, wait_s: float = 20.0, timeout_ms: int = 30_000) -> None:
        """`wait_s` limits the search for a host, `timeout_ms` each statement."""
        self._layout = FolderLayout(folder=folder.expanduser().absolute())
        self._wait_s = wait_s
        self._timeout_ms = timeout_ms
        self._mutex = threading.Lock()
        self._lock: HostLock | None = None
        self._server: _Server | None = None
        self._prover: Prover | None = None
        self._there: Announcement | None = None
        self._private = False
        self._closed = False

    @property
    def hosting(self) -> bool:
        """Whether this process hosts the database."""
        return self._server is not None

    async def endpoint(self, *, refresh: bool) -> Endpoint:
        """The address of the database; the first call, and a call after a host ended, may start the database here.

        Raises:
            ConfigurationError: the platform or the folder cannot hold the database.
            StoreUnavailable: no host answers in time, or the database is damaged.
        """
        return await asyncio.to_thread(self._endpoint, refresh=refresh)

    async def proved(self, endpoint: Endpoint) -> bool:
        """Whether connections to this endpoint that were made before this call lead to the host of the folder.

        The lock is checked first: if it is free, the host has ended, and another program may listen at its port.
        """
        return await asyncio.to_thread(self._proved, endpoint)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """A context in which no other process on the folder holds the same lock.

        The engine lets two writers do all the work and refuses one at its commit: without the lock, two first starts at
        once took three times as long as one (measured).
        """
        lock = HostLock(self._layout.folder, SETUP_LOCK_NAME)
        try:  # beyond its time, as if there were none
            await asyncio.to_thread(lock.take, patience_s=_SETUP_PATIENCE_SECONDS)
        except OSError as error:
            raise _unusable(self._layout.folder, error) from error
        try:
            yield
        finally:
            lock.release()

    async def close(self) -> None:
        """Stops hosting, so that another process may take over; may be called twice."""
        await asyncio.to_thread(self._close)

    def _endpoint(self, *, refresh: bool) -> Endpoint:
        with self._mutex:
            if self._there is None or (refresh and not (self.hosting and answers(self._there))):
                self._stop()
                self._there = self._search()
            return _endpoint(self._there)

    def _proved(self, endpoint: Endpoint) -> bool:
        hosting = self.hosting  # first: what is known of the host belongs to it then, and `_stop` forgets that first
        there = self._there
        if there is None or _endpoint(there) != endpoint:
            return False
        if hosting:
            return True
        folder = self._layout.folder
        return not is_free(folder) and announced(folder) == there and is_alive(there)

    def _close(self) -> None:
        self._closed = True  # before the mutex: ends a search that holds it
        with self._mutex:
            self._stop()

    def _search(self) -> Announcement:
        """The host: this process if the lock is free, otherwise the process that holds it, after it proved itself."""
        deadline = time.monotonic() + self._wait_s
        patience_s = 0.0
        while not self._take_lock(patience_s):
            there = announced(self._layout.folder)
            if there is not None and answers(there):
                return there
            if time.monotonic() > deadline:
                raise _nobody_answers(self._layout.folder, there, self._wait_s)
            patience_s = _LOCK_PATIENCE_SECONDS
        return self._host()

    def _take_lock(self, patience_s: float) -> bool:
        if self._closed:
            raise StoreUnavailable("the embedded database was closed; open the memory again")
        try:
            self._layout.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = self._lock or HostLock(self._layout.folder)
            return self._lock.take(patience_s=patience_s)
        except OSError as error:
            raise _unusable(self._layout.folder, error) from error

    def _host(self) -> Announcement:
        """Starts the database here and announces it; the lock must be held."""
        withdraw(self._layout.folder)
        self._private = True
        _UMASK.tighten()
        with ExitStack() as failing:
            failing.callback(self._stop)  # after an interrupt too: no half-started database stays
            try:
                here = self._start()
                announce(self._layout.folder, here)
            except OSError as error:
                raise _unusable(self._layout.folder, error) from error
            failing.pop_all()
        logger.info("Embedded database hosted", extra={"action": "store_hosted", "port": here.port, "pid": here.pid})
        return here

    def _start(self) -> Announcement:
        if self._layout.format > FORMAT:
            raise StoreUnavailable(
                f"the embedded database in {self._layout.folder} {later_than_this(self._layout.format)}, "
                f"{_ANOTHER_FOLDER}, or {_NEO4J_INSTEAD}"
            )
        damage = self._layout.damage()
        if damage:
            raise StoreUnavailable(
                f"the embedded database in {self._layout.folder} is damaged: {damage}; "
                f"restore the whole folder from a backup, {_ANOTHER_FOLDER}, or {_NEO4J_INSTEAD}"
            )
        if self._layout.lacks_room():  # the engine would say so on a page of its own, or in riddles
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        here = Announcement.of_this_process()
        self._layout.prepare(here)
        with _START, _engine_environment(self._layout):
            self._server, port = _started(self._layout, here.secret)
        try:
            database = self._server.create_database(DATABASE)
        except _arcadedb().ArcadeDBError as error:
            raise _refused(self._layout.folder, error) from error
        _secure(database, self._timeout_ms)
        self._mark()
        proof = listening()
        here = replace(here, port=port, proof_port=proof.getsockname()[1])
        self._prover = Prover(proof, here)
        return here

    def _mark(self) -> None:
        """Records what the database has. If the disk is full, the earlier record stays, which is still true."""
        try:
            self._layout.mark()
        except OSError:
            if not self._layout.was_made:
                raise

    def _stop(self) -> None:
        """Undoes `_host`, as far as it came; does nothing for a process that is only attached."""
        self._there = None
        server, self._server = self._server, None
        prover, self._prover = self._prover, None
        if prover is not None:
            prover.close()  # before the engine gives up its port
        if server is not None:
            withdraw(self._layout.folder)
            _stop_engine(server)
        if prover is not None:  # the engine had opened the database
            self._mark()
        if self._private:
            self._private = False
            _UMASK.restore()
        if self._lock is not None:
            self._lock.release()


def _endpoint(there: Announcement) -> Endpoint:
    return Endpoint(
        uri=f"bolt://{LOOPBACK}:{there.port}",
        user=WRITER,
        password=there.secret,
        database=DATABASE,
        engine="arcadedb",
        reader_user=READER,
        reader_password=there.reader_secret,
    )


def _started(layout: FolderLayout, password: str, attempts: int = _PORT_ATTEMPTS) -> tuple[_Server, int]:
    """A running server and its Bolt port; tries other ports if one was taken meanwhile."""
    bolt, http = _free_ports()
    server = _arcadedb().create_server(
        str(layout.engine),
        root_password=password,
        config={
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": bolt,
            "http_port": http,  # the engine cannot do without
            "host": LOOPBACK,
        },
    )
    try:
        server.start()
    except OSError as error:
        raise _no_engine(error) from error
    except _arcadedb().ArcadeDBError as error:
        if attempts > 1 and "Unable to listen" in str(error):
            return _started(layout, password, attempts - 1)
        raise _refused(layout.folder, error) from error
    return server, bolt


def _arcadedb() -> Any:  # noqa: ANN401 - the package has no types
    """The engine, imported late: some platforms have no wheel, and an attached process needs none."""
    try:
        import arcadedb  # type: ignore[import-untyped]  # noqa: PLC0415 - late: see above; untyped: has no stubs
    except ImportError as error:
        raise _no_engine(error) from error
    return arcadedb


def _secure(database: _Database, timeout_ms: int) -> None:
    """Makes commits durable and fast, and closes network services that are open by default.

    The settings are read back, because the engine ignores a wrong key silently.
    """
    wanted: Mapping[str, int | bool | str] = {
        # 1: one fdatasync for each commit. The default of 0 acknowledges what is not on disk (arcadedb 26.11.1.dev2).
        "arcadedb.txWalFlush": 1,
        # The only time limit that works: the driver's own is ignored.
        "arcadedb.command.timeout": timeout_ms,
        "arcadedb.opencypher.loadCsv.allowFileUrls": False,
        "arcadedb.opencypher.loadCsv.allowRemoteUrls": False,
        # Every transaction copies each page that it changes, and memory holds whole pages of what is read here and
        # there: of indexes, remembering takes a fifth less time, a look-up as long as with the default of 256 KB
        # (measured at 1e5 nodes; keys may have 60 000 characters). Of records, writes take the engine a sixth less than
        # with 64 KB, reads and the disk the same; with 16 KB, half of each would be its table. For new stores.
        "arcadedb.indexDefaultPageSize": 65_536,
        "arcadedb.bucketDefaultPageSize": 32_768,
        # The default looks through all pages of a type for space at one of the first writes of a process: at a million
        # facts 1.3 GB, for one receipt and one fact. Nearly nothing is ever deleted here, and the disk is the same.
        "arcadedb.bucketReuseSpaceMode": "low",
    }

    def ignored() -> list[str]:
        present = _settings(database)
        return [key for key, value in wanted.items() if present.get(key) != value]

    try:
        for key in ignored():
            database.command("sql", f"ALTER DATABASE `{key}` {json.dumps(wanted[key])}")
        wrong = ignored()
    except _arcadedb().ArcadeDBError as error:
        raise _unsafe(wanted) from error
    if wrong:
        raise _unsafe(wrong)


def _settings(database: _Database) -> Mapping[str, object]:
    settings = database.query("sql", "SELECT settings FROM schema:database").to_list()[0]["settings"]
    return {str(setting["key"]): setting["value"] for setting in settings or ()}


def _stop_engine(server: _Server) -> None:
    try:
        server.stop()
    except _arcadedb().ArcadeDBError as error:
        # What was acknowledged is on disk; the next start recovers the rest from the log.
        logger.warning("Embedded database did not stop cleanly", extra={"action": "store_stop", "error": str(error)})


@contextmanager
def _engine_environment(layout: FolderLayout) -> Iterator[None]:
    """Sets the environment variables that the engine reads when it is loaded, and restores them."""
    with tempfile.TemporaryDirectory(prefix="r-memory-") as temporary:
        rules = Path(temporary) / "logging.properties"
        rules.write_text(LOGGING_RULES, encoding="ascii")
        arguments = os.environ.get(_ISOLATE_ARGUMENTS, _HEAP)
        if not any(letter.isspace() for letter in temporary):  # the engine splits its arguments at spaces
            arguments = f"{arguments} -Djava.util.logging.config.file={rules.as_posix()}"
        values = {_ISOLATE_ARGUMENTS: arguments, "ARCADEDB_LOG_DIR": str(layout.log), "ARCADEDB_LOG_CONSOLE": "0"}
        before = {name: os.environ[name] for name in values if name in os.environ}
        os.environ.update(values)
        try:
            yield
        finally:
            for name in values:
                os.environ.pop(name, None)
            os.environ.update(before)


def _free_ports() -> tuple[int, int]:
    """Two ports that are free at this moment."""
    with socket.socket() as first, socket.socket() as second:
        first.bind((LOOPBACK, 0))
        second.bind((LOOPBACK, 0))
        return first.getsockname()[1], second.getsockname()[1]


# --- what is wrong where the embedded database cannot be used, and what to do about it --------------------------------


def _no_engine(error: Exception) -> ConfigurationError:
    """The error for a platform without a usable engine library."""
    where = f"{sys.platform} {platform.machine()}, Python {platform.python_version()}"
    return ConfigurationError(
        f"the embedded database cannot be loaded on {where} ({str(error)[:200]}); {_NEO4J_INSTEAD}"
    )


def _unusable(folder: Path, error: OSError) -> ConfigurationError | StoreUnavailable:
    """The error for a folder that cannot be written, for lack of rights or space."""
    if error.errno in _NO_SPACE:
        return StoreUnavailable(
            f"no space is left for the data folder {folder}; free some, {_ANOTHER_FOLDER}, or {_NEO4J_INSTEAD}"
        )
    reason = error.strerror or type(error).__name__
    return ConfigurationError(
        f"the data folder {folder} cannot be used ({reason}); make it writable, {_ANOTHER_FOLDER}, or {_NEO4J_INSTEAD}"
    )


def _refused(folder: Path, error: Exception) -> StoreUnavailable:
    """The error for a database that the engine refuses to open."""
    return StoreUnavailable(
        f"the embedded database in {folder} did not open ({str(error)[:300]}); "
        f"end any other program that uses the folder, restore it from a backup, or {_NEO4J_INSTEAD}"
    )


def _unsafe(settings: Iterable[str]) -> StoreUnavailable:
    """The error for an engine that ignores settings needed for durability or privacy."""
    return StoreUnavailable(
        f"the embedded database does not accept {', '.join(settings)}, without which it would not be safe; "
        f"reinstall the pinned version of arcadedb, or {_NEO4J_INSTEAD}"
    )


def _nobody_answers(folder: Path, there: Announcement | None, wait_s: float) -> StoreUnavailable:
    """The error for a host that holds the folder and cannot be reached."""
    holder = "another process" if there is None else f"process {there.pid} on {there.machine}"
    return StoreUnavailable(
        f"{holder} holds the data folder {folder} and did not answer for {wait_s:g} s; "
        f"end that process, {_ANOTHER_FOLDER}, or {_NEO4J_INSTEAD}"
    )
