"""Deciding: a person's change of a fact becomes an event, and what waited for a person is settled with it.

Each write is one transaction of one subject, so a crash leaves whole decisions only; moving a fact to another subject
takes two, and is written so that a crash in between leaves it on both and the wish in the list of what waits.
Knows protocols and domain only.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from r_memory.domain import changes
from r_memory.domain.changes import Change, Decision
from r_memory.domain.events import (
    OPEN,
    Batch,
    Chain,
    ChainHead,
    Episode,
    EpisodeStatus,
    FactEvent,
    observation_id,
    observed,
)
from r_memory.domain.facts import Entity, Fact, Observation, Proposal, Rejection, Route
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant, iso_day
from r_memory.errors import InvalidInput, NotStored, WriteConflict
from r_memory.facts.remember.results import Claim
from r_memory.protocols import Clock, Store, Utterance
from r_memory.reading.reader import Reader

Outcome = Literal["changed", "already", "requested"]
_ATTEMPTS = 12
Events = tuple[FactEvent, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What became of one decision; nothing is called changed that was not read back."""

    outcome: Outcome
    """`already`: it stood so before. `requested`: nothing changed, a person is asked."""
    subject: Entity
    before: Fact
    after: Fact
    event_id: str
    """Of the event that records it, or of the request; empty where it stood so before."""
    elsewhere: Fact | None = None
    """The fact where it belongs, once it was moved to another subject or to a term."""


class Changes:
    """Writes the decisions of people in one space."""

    def __init__(self, *, store: Store, reader: Reader, clock: Clock) -> None:
        self._worker = reader.worker
        self._store = store
        self._validator = reader.validator
        self._schema = reader.schema
        self._clock = clock

    def now(self) -> Instant:
        """The instant at which decisions are recorded."""
        return self._clock.now()

    async def make(
        self, decision: Decision, subject: Entity, *, route: Route = Route.PERSON, target: Entity | None = None
    ) -> Changed:
        """Records the decision, and settles the request for it if there is one.

        `target` is the other subject of a `reattribute`, or the concept of a `map_word`.

        Raises:
            InvalidInput: the fact moved on, or does not allow it.
            StoreUnavailable, NotStored: it may or may not be recorded; making it again is harmless.
        """
        open_request = await self._open_request(decision, subject)
        if target is None:
            return await self._decided(
                decision, subject, open_request, lambda chain: self._event(decision, chain, route)
            )
        if decision.change is Change.MAP_WORD:
            return await self._mapped(decision, subject, target, open_request)
        return await self._reattributed(decision, subject, target)

    async def request(self, decision: Decision, subject: Entity) -> Changed:
        """Asks a person for the decision: recorded, in every block and in the list of what waits, until one answers.

        Raises:
            InvalidInput: the fact moved on, does not allow it, or somebody declined this very request.
        """
        chain = await self._store.chain(subject.uid, (decision.fact_id,))
        before = self._fold(chain.events, decision.fact_id)
        if changes.is_done(decision, chain.events):
            return Changed(outcome="already", subject=subject, before=before, after=before, event_id="")
        changes.check_allowed(decision, chain.events)
        asked = await self._store.add_episode(changes.request(decision, subject=subject, now=self._clock.now()))
        if asked.status not in OPEN:
            day = "" if asked.settled_at is None else f" on {iso_day(asked.settled_at)}"
            raise InvalidInput(f"this change was asked for and declined{day}; ask the people in charge, then try again")
        return Changed(outcome="requested", subject=subject, before=before, after=before, event_id=asked.id)

    async def dismiss(self, episode: Episode, subject: Entity, *, actor: str, reason: str) -> None:
        """Settles a statement from which nothing is to be stored, or a request that is not granted.

        The words stay in the ledger, with who settled them and why.

        Raises:
            InvalidInput: it waits for nobody.
        """
        settled = self._settled(episode, actor=actor, reason=reason)
        nothing = ChainHead()
        await self._store.append(
            Batch(subject=subject, events=(), facts=(), episode=settled, previous=nothing, head=nothing)
        )

    async def store_reviewed(
        self, episode: Episode, subject: Entity, claims: Sequence[Claim], *, actor: str
    ) -> tuple[Fact, ...]:
        """Records what a person read in a statement that waited, and settles it; all of the claims, or none.

        Raises:
            InvalidInput: a claim is refused, with its reason; or the statement waits for nobody.
        """
        settled = self._settled(episode, actor=actor, reason="read by a person")
        seen = await self._worker.run(self._validated, episode, subject, claims)

        def events(chain: Chain) -> Events:
            recorded = {event.id for event in chain.events}
            return observed(
                [each for each in seen if observation_id(episode.id, each) not in recorded],
                episode=episode,
                head=chain.head,
                now=self._clock.now(),
                schema_version=self._schema.version,
                actor=actor,
            )

        _, facts = await self._appended(subject, [each.fact_id for each in seen], events, settled)
        return facts

    # decisions

    async def _decided(
        self, decision: Decision, subject: Entity, settles: Episode | None, event: Callable[[Chain], Events]
    ) -> Changed:
        before, facts = await self._appended(subject, [decision.fact_id], event, settles)
        return self._told(decision, subject, before, facts)

    def _event(self, decision: Decision, chain: Chain, route: Route, after: Events = (), mapped_to: str = "") -> Events:
        """The one event that records the decision; none where the fact stands so already."""
        own = _own(chain.events, decision.fact_id)
        if changes.is_done(decision, own):
            return ()
        changes.check_allowed(decision, own)
        return (
            changes.changed(
                decision,
                own,
                head=chain.head.after(after),
                now=self._clock.now(),
                schema_version=self._schema.version,
                route=route,
                attrs={changes.MAPPED_TO: mapped_to} if mapped_to else None,
            ),
        )

    async def _mapped(self, decision: Decision, subject: Entity, concept: Entity, settles: Episode | None) -> Changed:
        """The fact under its term and the mark on the unknown word, in one transaction: never none, never both."""
        first = await self._store.chain(subject.uid, (decision.fact_id,))
        there = self._moved(decision, first.events, subject, concept, ChainHead()).fact_id

        def events(chain: Chain) -> Events:
            own = _own(chain.events, decision.fact_id)
            if changes.is_done(decision, own):
                return ()
            moved = self._moved(decision, own, subject, concept, chain.head)
            return moved, *self._event(decision, chain, Route.PERSON, after=(moved,), mapped_to=concept.uid)

        before, facts = await self._appended(subject, [decision.fact_id, there], events, settles)
        return self._told(decision, subject, before, facts, there)

    async def _reattributed(self, decision: Decision, subject: Entity, other: Entity) -> Changed:
        """The wish, then the fact where it belongs, then the mark where it does not: a crash in between loses nothing.

        Whoever makes the decision again, or grants the wish, goes on where the crash was.
        """
        chain = await self._store.chain(subject.uid, (decision.fact_id,))
        own = chain.events
        there = self._moved(decision, own, other, self._fold(own, decision.fact_id).object, ChainHead()).fact_id
        if not changes.is_done(decision, own):
            changes.check_allowed(decision, own)
            await self._store.add_episode(changes.request(decision, subject=subject, now=self._clock.now()))
            await self._moved_to(other, decision, own, there)
        settles = await self._open_request(decision, subject)
        done = await self._decided(decision, subject, settles, lambda chain: self._event(decision, chain, Route.PERSON))
        found = await self._store.chain(other.uid, (there,))
        return replace(done, elsewhere=self._fold(found.events, there))

    async def _moved_to(self, other: Entity, decision: Decision, own: Events, there: str) -> None:
        def events(chain: Chain) -> Events:
            if changes.move_id(decision) in {event.id for event in chain.events}:
                return ()
            return (self._moved(decision, own, other, own[0].object, chain.head),)

        await self._appended(other, [there], events, None)

    def _moved(self, decision: Decision, own: Events, subject: Entity, object_: Entity, head: ChainHead) -> FactEvent:
        declared = self._schema.relations.get(own[0].relation)
        return changes.moved(
            decision,
            own,
            subject=subject,
            object_=object_,
            identity=() if declared is None else declared.identity,
            scale=self._schema.severity.grades,
            head=head,
            now=self._clock.now(),
            schema_version=self._schema.version,
        )

    def _told(
        self, decision: Decision, subject: Entity, before: Events, facts: Sequence[Fact], there: str = ""
    ) -> Changed:
        by_id = {fact.fact_id: fact for fact in facts}
        earlier = self._fold(before, decision.fact_id)
        after = by_id.get(decision.fact_id, earlier)
        done = after.last_seq != earlier.last_seq
        return Changed(
            outcome="changed" if done else "already",
            subject=subject,
            before=earlier,
            after=after,
            event_id=changes.change_id(decision) if done else "",
            elsewhere=by_id.get(there),
        )

    # writing

    async def _appended(
        self,
        subject: Entity,
        fact_ids: Sequence[str],
        build: Callable[[Chain], Events],
        settles: Episode | None,
    ) -> tuple[Events, tuple[Fact, ...]]:
        """What stood before, and the facts as they stand now; builds the events anew whenever another was faster."""
        for attempt in range(_ATTEMPTS):
            chain = await self._store.chain(subject.uid, fact_ids)
            events = build(chain)
            facts = fold_all((*chain.events, *events), scale=self._schema.severity.grades)
            batch = Batch(
                subject=subject,
                events=events,
                facts=facts if events else (),
                episode=settles,
                previous=chain.head,
                head=chain.after(events),
            )
            try:
                if events or settles is not None:
                    await self._store.append(batch)
            except WriteConflict:
                await asyncio.sleep(random.uniform(0, 0.005 * 2 ** min(attempt, 6)))  # noqa: S311 jitter, not a secret
            else:
                if await self._stored(subject, fact_ids, events):
                    return chain.events, facts
        raise NotStored(f"another writer kept changing this subject ({_ATTEMPTS} attempts); try again")

    async def _stored(self, subject: Entity, fact_ids: Sequence[str], events: Events) -> bool:
        """Reads back what was written, so that "changed" is never said of anything else (Z18).

        False as well where somebody else recorded the same decision meanwhile: its event has our id and another hash.
        """
        if not events:
            return True
        stored = {event.hash for event in (await self._store.chain(subject.uid, fact_ids)).events}
        return {event.hash for event in events} <= stored

    async def _open_request(self, decision: Decision, subject: Entity) -> Episode | None:
        """The request for this decision, settled by it; `None` if there is none, or none that waits."""
        asked = changes.request(decision, subject=subject, now=0)
        stored = await self._store.episode(subject.space, asked.id)
        if stored is None or stored.status not in OPEN:
            return None
        return self._settled(stored, actor=decision.actor, reason=decision.reason)

    def _settled(self, episode: Episode, *, actor: str, reason: str) -> Episode:
        if episode.status not in OPEN:
            raise InvalidInput("this statement waits for nobody any more; list what waits again")
        return replace(
            episode,
            status=EpisodeStatus.EXTRACTED,
            review=(),
            settled_by=actor.strip(),
            settled_because=reason.strip(),
            settled_at=self._clock.now(),
        )

    def _validated(self, episode: Episode, subject: Entity, claims: Sequence[Claim]) -> tuple[Observation, ...]:
        utterance = Utterance(text=episode.text, role=episode.role, speaker=episode.speaker, subject=subject)
        checked = [self._validator.check(utterance, _proposal(claim)) for claim in claims]
        refused = [each.reason for each in checked if isinstance(each, Rejection)]
        if refused or not checked:
            raise InvalidInput(f"nothing was stored: {'; '.join(refused) or 'no fact was given'}")
        seen = {each.fact_id: each for each in checked if isinstance(each, Observation)}
        return tuple(seen.values())

    def _fold(self, events: Sequence[FactEvent], fact_id: str) -> Fact:
        [fact] = fold_all(_own(events, fact_id), scale=self._schema.severity.grades)
        return fact


def _own(events: Sequence[FactEvent], fact_id: str) -> Events:
    """The events of one fact.

    Raises:
        InvalidInput: there are none.
    """
    own = tuple(event for event in events if event.fact_id == fact_id)
    if not own:
        raise InvalidInput(f"no fact has the id '{fact_id[:36]}'; use one of `facts` or of a block")
    return own


def _proposal(claim: Claim) -> Proposal:
    return Proposal(
        relation=claim.relation,
        object=claim.object,
        status=claim.status,
        attrs=claim.attrs,
        evidence=claim.evidence,
        route=Route.PERSON,
        extractor=changes.PERSON,
    )
