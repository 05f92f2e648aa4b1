"""A process that imports a file and is killed in the middle; the fault tests start it.

    python -m tests.faults.importer FOLDER FILE WRITES

WRITES counts the writes that get through before the process dies as `kill -9` ends one. Where they are more than the
import takes, it ends in order.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from r_memory.facts.facts import Facts
from r_memory.space.space import Space
from r_memory.store.cypher_store import CypherStore
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.doubles import scripted_reader
from tests.faults.workload import SCHEMA, SHARED, open_store

KILLED = 137
WRITES = ("begin_import", "await_import", "add_episode", "append", "end_import_of", "lead_to_words", "end_import")


def space_of(store: CypherStore | DictStore) -> Space:
    """What imports into the space of the faults."""
    facts = Facts(store, scripted_reader(SCHEMA), FixedClock(), space=SHARED.space)
    return Space(facts=facts, stream=store.stream, conversations=store.conversations, clock=FixedClock())


async def run(folder: Path, file: Path, writes: int) -> None:
    """Imports until it dies, or to the end."""
    store = open_store(folder)
    await store.prepare(SCHEMA)
    left = iter(range(writes))

    def dying(write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def written(*given: object, **more: object) -> object:
            if next(left, None) is None:
                os._exit(KILLED)
            return await write(*given, **more)

        return written

    for name in WRITES:
        setattr(store, name, dying(getattr(store, name)))
    await space_of(store).import_(file)
    await store.close()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
