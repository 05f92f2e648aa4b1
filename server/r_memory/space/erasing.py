"""Erasing a person on a legal request: the one explicit, logged exception to "nothing is deleted" (design, section 2).

First the conversational memory goes, conversation by conversation, then the ledger in one transaction, whose event says
who erased and why. Killed in between, the subject is still known and everything about them that is left can be read;
the same call goes on. No tool of the MCP surface reaches this.
"""

import contextlib
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from r_memory.domain.changes import check_authority
from r_memory.domain.erasure import Erasure, Traces, erasure_of
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.errors import WriteConflict
from r_memory.protocols import Clock, Store
from r_memory.space.streamed import ALL, Streamed

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What came of an erasure."""

    trace: Entity
    """What stands in the subject's place; its id names the erasure."""
    traces: Traces
    """How much was erased."""
    event_id: str
    """Of the event that logs it."""


class Eraser:
    """Erases subjects of one space."""

    def __init__(self, *, store: Store, kept: Streamed, clock: Clock) -> None:
        self._store = store
        self._kept = kept
        self._clock = clock

    async def traces(self, subject: Entity) -> Traces:
        """How much is kept about the subject; nothing is changed."""
        items = [item async for item in self._kept.items(subject.uid)]
        decisions = await self._kept.decisions(subject.uid)
        uids = {*(item.conversation_uid for item in items), *(one.conversation_uid for one in decisions)}
        summaries = [await self._kept.conversations.summaries(subject.space, uid, limit=ALL) for uid in sorted(uids)]
        events = await self._store.events(subject.uid)
        return Traces(
            statements=len(await self._store.episodes(subject.space, subject.uid)),
            events=len(events),
            facts=len({event.fact_id for event in events}),
            receipts=len(await self._store.receipts(subject.space, subject.uid, limit=ALL)),
            items=len(items),
            summaries=sum(map(len, summaries)),
            decisions=len(decisions),
            documents=len(await self._kept.documents(subject.uid)),
        )

    async def erase(self, subject: Entity, *, actor: str, reason: str) -> Erased:
        """Erases everything about the subject, and logs who did it, why and how much.

        Raises:
            InvalidInput: no actor or reason that can be recorded; the subject is not known (any more).
            WriteConflict: the subject is talked about all the time; try again later. What was erased stays so.
            StoreUnavailable: the same call goes on; if it is all done already, the subject is not known any more.
        """
        check_authority(actor=actor, reason=reason)
        traces = await self.traces(subject)
        await _in_the_end(lambda: self._talk_erased(subject))
        erasure = await _in_the_end(
            lambda: self._ledger_erased(subject, traces, actor=actor.strip(), reason=reason.strip())
        )
        # Whatever a turn that was under way has stored since.
        await _in_the_end(lambda: self._talk_erased(subject))
        logger.info("Subject erased", extra={"action": "subject_erased", "trace": erasure.trace.id})
        return Erased(trace=erasure.trace, traces=traces, event_id=erasure.closing.id)

    async def _talk_erased(self, subject: Entity) -> None:
        """Erases the conversational memory: turns, what was made of them, documents."""
        found: defaultdict[str, list[MemoryItem]] = defaultdict(list)
        async for item in self._kept.items(subject.uid):
            found[item.conversation_uid].append(item)
        for uid, items in found.items():
            turns = max((item.index for item in items if item.tier is Tier.TURN), default=0)
            ids = [item.id for item in items]
            await self._kept.stream.remove_memories(subject.space, uid, ids, turns=turns, left=0)
        decided = {one.conversation_uid for one in await self._kept.decisions(subject.uid)}
        for uid in sorted(found.keys() | decided):
            await self._kept.conversations.forget_turns(subject.space, uid, after=0)
        await self._kept.conversations.forget_documents(subject.space, subject.uid)

    async def _ledger_erased(self, subject: Entity, traces: Traces, *, actor: str, reason: str) -> Erasure:
        # The chain's end first: what is recorded between the two reads is then a conflict, and never overlooked.
        chain = await self._store.chain(subject.uid, ())
        events = await self._store.events(subject.uid)
        receipts = await self._store.receipts(subject.space, subject.uid, limit=ALL)
        said = await self._store.episodes(subject.space, subject.uid)
        erasure = erasure_of(
            subject,
            events=events,
            receipts=receipts,
            previous=chain.head,
            traces=replace(traces, events=len(events), receipts=len(receipts)),
            actor=actor,
            reason=reason,
            now=self._clock.now(),
            first=min(said, key=lambda episode: (episode.recorded_at, episode.id), default=None),
        )
        await self._store.erase(erasure)
        return erasure


async def _in_the_end(attempt: Callable[[], Awaitable[Result]]) -> Result:
    """What the attempt gives, after a few in which somebody else was faster."""
    for _ in range(_ATTEMPTS - 1):
        with contextlib.suppress(WriteConflict):
            return await attempt()
    return await attempt()
