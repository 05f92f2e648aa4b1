"""A process that writes to the embedded store until its standard input ends; the fault tests start and kill it.

    python -m tests.faults.writer FOLDER NAME [LARGEST_FILE]

Prints the id of each write that the store acknowledged, one a line. Nothing else may appear on standard output: in the
server that is the wire of the protocol. With LARGEST_FILE no file may grow beyond so many bytes once the store is open,
which is what a full disk looks like, and the first write that is refused ends the process with status 3.
"""

import asyncio
import sys
import threading
from pathlib import Path

from r_memory.errors import StoreError
from r_memory.store.cypher_store import CypherStore
from tests.faults.workload import SCHEMA, open_store, own_subject, write_once, write_until

REFUSED = 3


def main(folder: str, name: str, largest_file: str = "") -> int:
    """Exit status: 0 when told to end, 3 when a write was refused."""
    return asyncio.run(_run(Path(folder), name, int(largest_file or 0)))


async def _run(folder: Path, name: str, largest_file: int) -> int:
    store = open_store(folder)
    try:
        if largest_file:
            return await _fill(store, name, largest_file)
        await write_until(_end_of_input().is_set, store, name, _acknowledge)
    finally:
        await store.close()
    return 0


async def _fill(store: CypherStore, name: str, largest_file: int) -> int:
    import resource  # noqa: PLC0415 - POSIX only

    await store.prepare(SCHEMA)
    await store.declare_subject(own_subject(name))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    number = 0
    try:
        while True:
            await write_once(store, own_subject(name), f"{name}-{number}" + "." * 20_000)
            _acknowledge(f"{name}-{number}" + "." * 20_000)
            number += 1
    except StoreError as error:
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return REFUSED


def _end_of_input() -> threading.Event:
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.buffer.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended


def _acknowledge(id_: str) -> None:
    sys.stdout.write(f"{id_}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
