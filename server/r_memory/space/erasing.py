"""Erases a person on a legal request: the only exception to "nothing is deleted".

It is explicit and logged (design, section 2). The conversational memory is erased first, conversation by conversation;
then the ledger, in one transaction whose event says who erased and why. If this is interrupted, the subject is still
known and its remaining records can be read; the same call continues. No tool of the MCP surface can erase.
"""

import contextlib
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from r_memory.domain.changes import check_authority
from r_memory.domain.erasure import Erasure, Traces, erasure_of
from r_memory.domain.events import FactEvent
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem, Tier
from r_memory.errors import WriteConflict
from r_memory.protocols import Clock
from r_memory.space.contents import ALL, Contents, kind_of

logger = logging.getLogger(__name__)

Result = TypeVar("Result")
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """The result of an erasure."""

    trace: Entity
    """What stands in the subject's place; its id identifies the erasure."""
    traces: Traces
    event_id: str


async def traces_of(kept: Contents, subject: Entity) -> Traces:
    """Number of records about the subject, by kind; changes nothing."""
    found: Counter[str] = Counter()
    facts: set[str] = set()
    for part in (kept.ledger(subject), kept.talk(subject.uid)):
        async for value in part:
            found[kind_of(value)] += 1
            if isinstance(value, FactEvent):
                facts.add(value.fact_id)
    counts = {f"{kind}s": found[kind] for kind in ("statement", "event", "receipt", "item", "decision", "document")}
    return {**counts, "facts": len(facts), "summaries": found["summary"]}


async def erase(kept: Contents, subject: Entity, *, actor: str, reason: str, clock: Clock) -> Erased:
    """Erases all records about the subject, and logs who erased, why and how much."""
    check_authority(actor=actor, reason=reason)
    traces = await traces_of(kept, subject)
    await _in_the_end(lambda: _talk_erased(kept, subject))
    erasure = await _in_the_end(
        lambda: _ledger_erased(kept, subject, traces, actor=actor.strip(), reason=reason.strip(), clock=clock)
    )
    # Whatever a turn that was under way has stored since.
    await _in_the_end(lambda: _talk_erased(kept, subject))
    logger.info("Subject erased", extra={"action": "subject_erased", "trace": erasure.trace.id})
    return Erased(trace=erasure.trace, traces=traces, event_id=erasure.closing.id)


async def _talk_erased(kept: Contents, subject: Entity) -> None:
    """Erases the conversational memory: turns, memories made of them, documents."""
    found: defaultdict[str, list[MemoryItem]] = defaultdict(list)
    async for item in kept.items(subject.uid):
        found[item.conversation_uid].append(item)
    for uid, items in found.items():
        turns = max((item.index for item in items if item.tier is Tier.TURN), default=0)
        ids = [item.id for item in items]
        await kept.stream.remove_memories(subject.space, uid, ids, turns=turns, left=0)
    decided = {decision.conversation_uid for decision in await kept.decisions(subject.uid)}
    for uid in sorted(found.keys() | decided):
        await kept.conversations.forget_turns(subject.space, uid, after=0)
    await kept.conversations.forget_documents(subject.space, subject.uid)


async def _ledger_erased(
    kept: Contents, subject: Entity, traces: Traces, *, actor: str, reason: str, clock: Clock
) -> Erasure:
    store = kept.store
    # The chain's end first: what is recorded between the two reads is then a conflict, and never overlooked.
    chain = await store.chain(subject.uid, ())
    events = await store.events(subject.uid)
    receipts = await store.receipts(subject.space, subject.uid, limit=ALL)
    said = await store.episodes(subject.space, subject.uid)
    erasure = erasure_of(
        subject,
        events=events,
        receipts=receipts,
        previous=chain.head,
        traces={**traces, "events": len(events), "receipts": len(receipts)},
        actor=actor,
        reason=reason,
        now=clock.now(),
        first=min(said, key=lambda episode: (episode.recorded_at, episode.id), default=None),
    )
    await store.erase(erasure)
    return erasure


async def _in_the_end(attempt: Callable[[], Awaitable[Result]]) -> Result:
    """The result of the attempt, after retries while other writers are faster."""
    for _ in range(_ATTEMPTS - 1):
        with contextlib.suppress(WriteConflict):
            return await attempt()
    return await attempt()
