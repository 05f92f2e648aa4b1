"""Deciding: a person's change of a fact becomes an event, and what waited for a person is settled with it.

Each write is one transaction of one subject, so a crash leaves whole decisions only; moving a fact to another subject
takes two, and is written so that a crash in between leaves it on both and the wish in the list of what waits.
Knows protocols and domain only.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from r_memory.domain import changes
from r_memory.domain.changes import Change, Decision
from r_memory.domain.events import (
    OPEN,
    Chain,
    ChainHead,
    Episode,
    EpisodeStatus,
    FactEvent,
)
from r_memory.domain.facts import PERSON, Entity, Fact, Observation, Rejection, Route
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import iso_day
from r_memory.errors import InvalidInput
from r_memory.facts.ledger import Appended, Events, Ledger, unwritten
from r_memory.facts.remember.results import Claim
from r_memory.protocols import Clock, Store, Utterance
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert_name

Outcome = Literal["changed", "already", "requested"]


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


def described(fact: Fact, subject: Entity) -> str:
    """A fact in the words in which a person is asked about it: the triple and its status, inert."""
    triple = f"{inert_name(subject.name)} ({inert_name(subject.id)}) {fact.relation} {inert_name(fact.object.name)}"
    return f"{triple}, {changes.shown_status(fact)}"


class Changes:
    """Writes the decisions of people in one space."""

    def __init__(self, *, store: Store, reader: Reader, clock: Clock) -> None:
        self._worker = reader.worker
        self._store = store
        self._validator = reader.validator
        self._schema = reader.schema
        self._ledger = Ledger(store=store, grades=reader.schema.severity.grades)
        self._clock = clock

    async def make(
        self, decision: Decision, subject: Entity, *, route: Route = Route.PERSON, target: Entity | None = None
    ) -> Changed:
        """Records the decision, and settles the request for it if there is one.

        `target` is the other subject of a `reattribute`, or the concept of a `map_word`.

        Raises:
            InvalidInput: the fact moved on, or does not allow it.
            StoreUnavailable, NotStored: it may or may not be recorded; making it again is harmless.
        """
        if target is None:
            return await self._decided(decision, subject, route)
        if decision.change is Change.MAP_WORD:
            return await self._mapped(decision, subject, target)
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
        await self._ledger.append(subject, (), lambda _: (), episode=settled)

    async def store_reviewed(
        self, episode: Episode, subject: Entity, claims: Sequence[Claim], *, actor: str
    ) -> tuple[Fact, ...]:
        """Records what a person read in a statement that waited, and settles it; all of the claims, or none.

        Raises:
            InvalidInput: a claim is refused, with its reason; or the statement waits for nobody.
        """
        settled = self._settled(episode, actor=actor, reason="read by a person")
        seen = await self._worker.run(self._validated, episode, subject, claims)

        written = await self._ledger.append(
            subject,
            [each.fact_id for each in seen],
            lambda chain: unwritten(
                seen,
                chain,
                episode=episode,
                now=self._clock.now(),
                schema_version=self._schema.version,
                actor=actor,
            ),
            episode=settled,
        )
        return written.facts

    # decisions

    async def _decided(self, decision: Decision, subject: Entity, route: Route = Route.PERSON) -> Changed:
        settles = await self._open_request(decision, subject)
        written = await self._ledger.append(
            subject, [decision.fact_id], lambda chain: self._event(decision, chain, route), episode=settles
        )
        return self._result(decision, subject, written)

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

    async def _mapped(self, decision: Decision, subject: Entity, concept: Entity) -> Changed:
        """The fact under its term and the mark on the unknown word, in one transaction: never none, never both."""
        settles = await self._open_request(decision, subject)
        first = await self._store.chain(subject.uid, (decision.fact_id,))
        there = self._moved(decision, first.events, subject, concept, ChainHead()).fact_id

        def events(chain: Chain) -> Events:
            own = _own(chain.events, decision.fact_id)
            if changes.is_done(decision, own):
                return ()
            moved = self._moved(decision, own, subject, concept, chain.head)
            return moved, *self._event(decision, chain, Route.PERSON, after=(moved,), mapped_to=concept.uid)

        written = await self._ledger.append(subject, [decision.fact_id, there], events, episode=settles)
        return self._result(decision, subject, written, there)

    async def _reattributed(self, decision: Decision, subject: Entity, other: Entity) -> Changed:
        """The wish, then the fact where it belongs, then the mark where it does not: a crash in between loses nothing.

        Whoever makes the decision again, or grants the wish, goes on where the crash was.
        """
        own = (await self._store.chain(subject.uid, (decision.fact_id,))).events
        there = self._moved(decision, own, other, self._fold(own, decision.fact_id).object, ChainHead()).fact_id

        def moved(chain: Chain) -> Events:
            if changes.move_id(decision) in {event.id for event in chain.events}:
                return ()
            return (self._moved(decision, own, other, own[0].object, chain.head),)

        if not changes.is_done(decision, own):
            changes.check_allowed(decision, own)
            await self._store.add_episode(changes.request(decision, subject=subject, now=self._clock.now()))
            await self._ledger.append(other, [there], moved, episode=None)
        done = await self._decided(decision, subject)
        found = await self._store.chain(other.uid, (there,))
        return replace(done, elsewhere=self._fold(found.events, there))

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

    def _result(self, decision: Decision, subject: Entity, written: Appended, there: str = "") -> Changed:
        by_id = {fact.fact_id: fact for fact in written.facts}
        earlier = self._fold(written.before, decision.fact_id)
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
        checked = [self._validator.check(utterance, claim.proposal(Route.PERSON, PERSON)) for claim in claims]
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
