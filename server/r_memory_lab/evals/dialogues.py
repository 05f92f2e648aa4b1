"""Dialogues told to the memory turn by turn, as a host would, and what it then believes of the patient."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from r_memory.domain.facts import RISK, Fact
from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory_lab.evals.rows import DataRow

_AT_ONCE = 4
Given = TypeVar("Given")
Got = TypeVar("Got")


class Dialogue(DataRow):
    """Who said what, in order."""

    turns: tuple[tuple[str, str], ...]
    """Speaker and words."""


async def believed_after(memory: Memory, dialogue: Dialogue) -> list[Fact]:
    """Stores each turn about a subject with the dialogue's id; returns its active and unconfirmed facts.

    Raises:
        StoreUnavailable: a write or a read failed, so that figures would be wrong.
    """
    spoken = [(position, *turn) for position, turn in enumerate(dialogue.turns) if turn[1].strip()]
    for position, speaker, text in spoken:
        await memory.remember(
            text,
            subject=dialogue.id,
            subject_name=dialogue.id,
            speaker=speaker,
            conversation_id=dialogue.id,
            idempotency_key=f"{dialogue.id}#{position}",
        )
    return await _believed(memory, dialogue.id) if spoken else []


async def each(
    rows: Sequence[Given], work: Callable[[Given], Awaitable[Got]], done: Callable[[], None]
) -> tuple[Got, ...]:
    """Runs `work` over all rows, some in parallel, and returns the results in order; `done` is called after each.

    The first error ends it.
    """
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(row: Given) -> Got:
        async with gate:
            result = await work(row)
        done()
        return result

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(row)) for row in rows]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return tuple(task.result() for task in tasks)


async def _believed(memory: Memory, subject: str) -> list[Fact]:
    page = await memory.list_facts(subject=subject, statuses=[status.value for status in RISK])
    if page.failed:
        raise StoreUnavailable(f"{', '.join(page.failed)} could not be read; run the suite again")
    return list(page.facts)
