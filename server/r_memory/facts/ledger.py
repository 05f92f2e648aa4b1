"""Extends the chain of one subject: events and the resulting state, in one transaction."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from r_memory.domain.events import Batch, Chain, ChainHead, Episode, FactEvent, observation_id, observed
from r_memory.domain.facts import Entity, Fact, Observation
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant
from r_memory.errors import NotStored, WriteConflict
from r_memory.protocols import Store

_ATTEMPTS = 12
Events = tuple[FactEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """The result of one write, as stored."""

    before: Events
    """All earlier events of the facts."""
    events: Events
    facts: tuple[Fact, ...]
    """The present facts."""


def unwritten(seen: Sequence[Observation], chain: Chain, *, episode: Episode, now: Instant, **by: str) -> Events:
    """Events for observations that the chain does not hold yet; `by` as for `observed`."""
    recorded = {event.id for event in chain.events}
    new = [each for each in seen if observation_id(episode.id, each) not in recorded]
    return observed(new, episode=episode, head=chain.head, now=now, **by)


class Ledger:
    """Writes events. `grades` are the severities of the schema."""

    def __init__(self, *, store: Store, grades: Sequence[str]) -> None:
        self._store = store
        self._grades = grades

    async def chain(self, subject: Entity, fact_ids: Sequence[str]) -> Chain:
        """The chain, read only as far as a write about these facts needs it.

        Without fact ids nothing is read: this saves most turns of a conversation a round trip.
        """
        return await self._store.chain(subject.uid, fact_ids) if fact_ids else Chain(head=ChainHead(), events=())

    async def append(
        self,
        subject: Entity,
        fact_ids: Sequence[str],
        build: Callable[[Chain], Events],
        *,
        episode: Episode | None,
        chain: Chain | None = None,
        entries: tuple[Episode, ...] = (),
    ) -> Appended:
        """Writes the events that `build` makes from the chain, and the episode; retries if another writer was faster.

        `chain` is the chain as just read, or `None` to read it here. `entries` of a record are stored in the same
        transaction. What is returned is in the ledger (Z18).

        Raises:
            WriteConflict: an entry is stored already; or, with entries, another writer was faster (there is no retry).
            NotStored: other writers were faster each time.
            StoreUnavailable: the events may or may not be written.
        """
        for attempt in range(_ATTEMPTS):
            if chain is None or attempt:
                chain = await self.chain(subject, fact_ids)
            events = build(chain)
            facts = fold_all((*chain.events, *events), scale=self._grades)
            batch = Batch(
                subject=subject,
                events=events,
                facts=facts if events else (),
                episode=episode,
                previous=chain.head,
                head=chain.after(events),
                seen=chain.newest(facts),
                entries=entries,
            )
            try:
                if events or entries or episode is not None:
                    await self._store.append(batch)
            except WriteConflict:
                if entries:
                    raise
                await asyncio.sleep(random.uniform(0, 0.005 * 2 ** min(attempt, 6)))  # noqa: S311 jitter, not a secret
            else:
                return Appended(before=chain.events, events=events, facts=facts)
        left = "this is not recorded" if episode is None else "the words are stored and stay in view"
        raise NotStored(
            f"another writer kept changing this subject ({_ATTEMPTS} attempts); {left}, try again with the same"
        )
