"""What a process does until it is killed, and again after that: each step says what it has done once it is stored."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from r_memory.config.settings import Settings
from r_memory.domain.changes import Change
from r_memory.errors import SubjectUnknown
from r_memory.facts.facts import Facts
from r_memory.protocols import unhurried
from r_memory.reading.reader import Reader
from r_memory.space.space import Space
from r_memory.store.cypher_store import CypherStore
from r_memory.wiring import SystemClock, open_store
from r_memory_lab.bench.talk import FACTS

WRITERS = tuple(f"w{number}" for number in range(8))
"""Patients, each with a writer and a conversation of its own."""
ERASED, KEPT = "K1", "K2"
"""Patients of whom something is recorded before a step."""
ALONE = "w"
"""Patient of the one writer."""
SAID = {ERASED: FACTS[:6], KEPT: FACTS[6:10], ALONE: FACTS[:6]}
"""Statements of each."""
_AT_ONCE = FACTS[:2]
"""Statements of each of several writers."""
_MOVED = "metformin"
"""The thing of the first statement."""
_ACTOR = "Dr Ada"
Tell: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Says what is done."""
Step: TypeAlias = Callable[[Space, Path, Tell], Awaitable[None]]
"""Works on a space; the file is an export of it."""


@asynccontextmanager
async def opened(settings: Settings, reader: Reader) -> AsyncIterator[tuple[CypherStore, Callable[[], Space]]]:
    """Yields the prepared store and a function that looks at its space anew, as a process does that just started."""
    with unhurried():
        async with open_store(settings) as store:
            retired = await store.prepare(reader.schema)
            clock = SystemClock()

            def space() -> Space:
                facts = Facts(store, reader, clock, space=settings.space, retired=retired)
                return Space(facts=facts, stream=store.stream, conversations=store.conversations, clock=clock)

            yield store, space


async def _remember(space: Space, _: Path, tell: Tell) -> None:
    await told(space, ALONE, tell)


async def _together(space: Space, _: Path, tell: Tell) -> None:
    await asyncio.gather(*(told(space, writer, tell) for writer in WRITERS))


async def told(space: Space, patient: str, tell: Tell) -> None:
    """Stores the statements of one patient, each under a key of its own."""
    for number, words in enumerate(SAID.get(patient, _AT_ONCE)):
        heard = await space.facts.remembering.remember(
            f"{words} That was note {number}.",
            subject=patient,
            subject_name=f"Patient {patient}",
            speaker="patient",
            conversation_id=patient,
            idempotency_key=f"{patient}/{number}",
        )
        facts = [fact.fact_id for fact in heard.facts]
        tell(
            {
                "subject_uid": heard.subject.uid,
                "conversation": patient,
                "episode": heard.episode_id,
                "facts": facts,
            }
        )


async def _import(space: Space, file: Path, tell: Tell) -> None:
    await space.import_(file)
    tell({})


async def _rebuild(space: Space, _: Path, tell: Tell) -> None:
    await space.rebuild()
    tell({})


async def _forget(space: Space, _: Path, tell: Tell) -> None:
    with suppress(SubjectUnknown):  # all is erased
        await space.forget(ERASED, actor=_ACTOR, reason="request 17")
    tell({})


async def _reconcile(space: Space, _: Path, tell: Tell) -> None:
    """Decides on a matter that was said and is not recorded: it belongs to somebody else."""
    facts = space.facts
    for row in (await facts.reconciling.reconcile(ERASED)).rows:
        if row.thing.casefold() == _MOVED and row.said is not None:
            await facts.reviewing.change_fact(
                row.said.fact_id, Change.REATTRIBUTE, reason="wrong chart", actor=_ACTOR, to=KEPT
            )
    tell({})


STEPS: Mapping[str, Step] = {
    "remember": _remember,
    "together": _together,
    "import": _import,
    "rebuild": _rebuild,
    "forget": _forget,
    "reconcile": _reconcile,
}
"""Steps by name, in the order in which they run."""
