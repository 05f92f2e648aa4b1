"""The record of a subject, read while new facts about it are stored, so that these are compared with it at once.

Holds back nothing: where the record cannot be told from these reads, it is read again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace

from r_memory.domain.events import FactEvent
from r_memory.domain.facts import Entity, Fact
from r_memory.protocols import Neighbourhood

Read = Callable[[Entity], Awaitable[Neighbourhood]]
"""Reads the facts of a subject that new ones may clash with."""


class RecordBeside:
    """What is recorded about one subject, beside what one call stores."""

    def __init__(self, read: Read, relations: frozenset[str]) -> None:
        """Facts of other relations than these clash with nothing, so that nothing is read for them."""
        self._read = read
        self._relations = relations
        self._reading: asyncio.Task[Neighbourhood] | None = None
        self._facts: Sequence[Fact] = ()
        self._before, self._after = -1, -1

    def begin(self, subject: Entity, relations: Iterable[str]) -> None:
        """Begins to read, if new facts along these relations may clash with recorded ones."""
        if self._reading is None and not self._relations.isdisjoint(relations):
            self._reading = asyncio.ensure_future(self._read(subject))

    def stored(self, facts: Sequence[Fact], events: Sequence[FactEvent]) -> None:
        """Takes the present facts that a write led to, and its events."""
        if events:
            self._facts, self._before, self._after = facts, events[0].seq - 1, events[-1].seq

    async def record(self) -> Neighbourhood | None:
        """The record with the stored facts in it; `None` if it was not read, or if others wrote meanwhile."""
        found = None if self._reading is None else await self._reading
        if found is None or found.failed or found.watermark not in {self._before, self._after}:
            return None
        now = {fact.fact_id: fact for fact in (*found.facts, *self._facts)}
        facts = sorted(now.values(), key=lambda fact: (fact.last_seq, fact.fact_id))
        return replace(found, facts=tuple(facts), watermark=self._after)

    def close(self) -> None:
        """Cancels the read if it still runs."""
        if self._reading is not None:
            self._reading.cancel()
