"""Which other people have something on the day that the owner of a personal memory asks about, without a name.

It reads the dated facts of the people of the space who are not read anyway, in the owner's own space alone; what it
cannot read it says. It forbids nothing: it names whom to ask for.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace

from r_memory.domain.blocks import Addressed, OtherDay
from r_memory.domain.facts import Entity
from r_memory.errors import StoreError
from r_memory.facts.recall.dated import Dated
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Store
from r_memory.reading.days import Days

logger = logging.getLogger(__name__)
_MOST_READ = 50
"""Maximum number of people whose days are read; of further people the block says that they were not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OthersDays:
    """Finds the days of others in one space."""

    store: Store
    subjects: Subjects
    dated: Dated
    in_time: Callable[[], AbstractAsyncContextManager[None]]
    """Limits the time of one question to the store."""

    async def with_days(self, about: Entity, addressed: Addressed, asked: Sequence[Days]) -> Addressed:
        """`addressed` with what others have on the days that a request of the owner names."""
        if not asked or not self.subjects.is_owner(about):
            return addressed
        named = {about.uid, *(item.uid for item in (*addressed.also_read, *addressed.others))}
        try:
            async with self.in_time():
                others = [item for item in await self.subjects.all() if item.uid not in named]
                read = await asyncio.gather(*(self._of(item, asked) for item in others[:_MOST_READ]))
        except (StoreError, TimeoutError, OSError) as error:
            details = {"action": "recall_others_days", "error": type(error).__name__}
            logger.warning("Days of others not read", extra=details)
            return replace(addressed, days_unread=True)
        days = tuple(day for found, _ in read for day in found)
        unread = len(others) > _MOST_READ or any(failed for _, failed in read)
        return replace(addressed, other_days=days, days_unread=unread)

    async def _of(self, person: Entity, asked: Sequence[Days]) -> tuple[tuple[OtherDay, ...], bool]:
        """What a person has on these days, and whether something could not be read."""
        found = await self.store.neighbourhood(person, self.dated.relations)
        days = (
            OtherDay(person=person, thing=fact.object.name, day=matches[0].text)
            for fact in found.facts
            if (matches := self.dated.matches(fact, asked))
        )
        return tuple(days), bool(found.failed)
