"""Dialogues told to the memory turn by turn, as a host would, and what it then believes of the patient."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, TypeVar

from r_memory.domain.facts import RISK, Fact
from r_memory.memory import Memory

_AT_ONCE = 4
T = TypeVar("T")


async def tell(memory: Memory, row: dict[str, Any]) -> None:
    """Stores each turn of one dialogue as an utterance about a subject named by the dialogue's id."""
    subject = row["id"]
    for position, (speaker, text) in enumerate(row["turns"]):
        if text.strip():
            await memory.remember(
                text,
                subject=subject,
                subject_name=subject,
                speaker=speaker,
                conversation_id=subject,
                idempotency_key=f"{subject}#{position}",
            )


async def believed(memory: Memory, subject: str, relations: Sequence[str]) -> list[Fact]:
    """Active and unconfirmed facts of these relations about the subject."""
    facts: list[Fact] = []
    cursor = ""
    while True:
        page = await memory.list_facts(
            subject=subject, relations=relations, statuses=[status.value for status in RISK], cursor=cursor
        )
        facts += page.facts
        cursor = page.next_cursor
        if not cursor:
            return facts


async def each(
    rows: Iterable[dict[str, Any]], work: Callable[[dict[str, Any]], Awaitable[T]], done: Callable[[], None]
) -> list[T]:
    """`work` over all rows, a few at a time, in order of the rows; `done` is called after each."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(row: dict[str, Any]) -> T:
        async with gate:
            result = await work(row)
        done()
        return result

    return list(await asyncio.gather(*(one(row) for row in rows)))
