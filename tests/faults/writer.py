"""A process that writes to a store until its standard input ends; the fault tests start and kill it.

    python -m tests.faults.writer FOLDER|ADDRESS NAME [ROOM]

Prints the id of each write that the store acknowledged, one a line. Nothing else may appear on standard output: in the
server that is the wire of the protocol. With ROOM no file may grow by more than so many bytes once the store is open,
which is what a full disk looks like, and the first write that is refused ends the process with status 3.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

from r_memory.errors import StoreError
from r_memory.store.cypher_store import CypherStore
from tests.faults.workload import SCHEMA, open_store, own_subject, write_once, write_until

REFUSED = 3


def main(place: str, name: str, room: str = "") -> int:
    """Exit status: 0 when told to end, 3 when a write was refused."""
    return asyncio.run(_run(place, name, int(room or 0)))


async def _run(place: str, name: str, room: int) -> int:
    store = open_store(place)
    try:
        if room:
            return await _fill(store, name, lambda: _limit_files(_largest(Path(place)) + room))
        await write_until(_end_of_input().is_set, store, name, _acknowledge)
    finally:
        await store.close()
    return 0


async def _fill(store: CypherStore, name: str, limit: Callable[[], None]) -> int:
    await store.prepare(SCHEMA)
    await store.declare_subject(own_subject(name))
    limit()
    try:
        for number in count():
            id_ = f"{name}-{number}{'.' * 2_000}"
            await write_once(store, own_subject(name), id_)
            _acknowledge(id_)
    except StoreError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    return REFUSED


def _largest(folder: Path) -> int:
    return max(file.stat().st_size for file in folder.rglob("*"))


def _limit_files(size: int) -> None:
    import resource  # noqa: PLC0415 - POSIX only

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def _end_of_input() -> threading.Event:
    ended = threading.Event()

    def wait() -> None:
        # Not sys.stdin: a thread that still waits in it aborts the whole process when the interpreter ends (3.11).
        while os.read(sys.stdin.fileno(), 4_096):
            pass
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended


def _acknowledge(id_: str) -> None:
    sys.stdout.write(f"{id_}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
