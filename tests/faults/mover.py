"""A process that moves a fact to another subject and is killed in the middle; the fault tests start it.

    python -m tests.faults.mover FOLDER WRITE

Tells the store of `a_move` first. WRITE counts the writes of the move that get through before the process dies as
`kill -9` ends one: 0 none, 1 the wish, 2 the fact where it belongs, 3 all.
"""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from r_memory.domain.changes import Change
from r_memory.domain.facts import Entity, Fact
from r_memory.facts.facts import Facts
from r_memory.facts.reviewing import Changed
from r_memory.store.cypher_store import CypherStore
from r_memory.testing.clock import FixedClock
from tests.doubles import scripted_reader
from tests.faults.workload import RELATION, SCHEMA, open_store, own_subject, write_once

WRONG, RIGHT = own_subject("wrong"), own_subject("right")
ALL_WRITES = 3
KILLED = 137
"""Exit status, as of a process that `kill -9` ended."""


async def told(store: CypherStore) -> Fact:
    """Declares both subjects and states the fact of the wrong one; gives it as it stands."""
    await store.prepare(SCHEMA)
    for subject in (WRONG, RIGHT):
        await store.declare_subject(subject)
    await write_once(store, WRONG, "said-once")
    [fact] = await facts_of(store, WRONG)
    return fact


async def facts_of(store: CypherStore, subject: Entity) -> tuple[Fact, ...]:
    """The present state."""
    return (await store.neighbourhood(subject, (RELATION,))).facts


async def moved(store: CypherStore, fact: Fact) -> Changed:
    """The fact where it belongs."""
    facts = Facts(store, scripted_reader(SCHEMA), FixedClock(), space=WRONG.space)
    return await facts.reviewing.change_fact(
        fact.fact_id, Change.REATTRIBUTE, reason="wrong chart", actor="Dr Ada", version=1, to=RIGHT.id
    )


async def run(folder: Path, writes: int) -> None:
    """Tells, then moves until it dies."""
    store = open_store(folder)
    fact = await told(store)
    left = iter(range(writes))

    def dying(write: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def written(*given: object) -> object:
            if next(left, None) is None:
                os._exit(KILLED)
            return await write(*given)

        return written

    for name in ("add_episode", "append"):
        setattr(store, name, dying(getattr(store, name)))
    await moved(store, fact)
    os._exit(KILLED)


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2])))
