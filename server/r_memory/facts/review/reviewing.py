"""What a person decides: about facts, requests, and words that wait. Nothing is deleted by any of it."""

from collections.abc import Sequence
from dataclasses import replace

from r_memory.domain.changes import Change, Decision, check_allowed, check_authority, is_done, requested, term_of
from r_memory.domain.events import OPEN, Episode
from r_memory.domain.facts import Entity, Fact, Route
from r_memory.domain.reviews import Review, Waiting, in_order, waiting_fact, waiting_words
from r_memory.errors import InvalidInput
from r_memory.facts.listing import FactList
from r_memory.facts.recall.lines import Lines
from r_memory.facts.remember.results import Claim
from r_memory.facts.review.changes import Changed, Changes
from r_memory.facts.subjects import Subjects
from r_memory.protocols import Clock, Neighbourhood, Store
from r_memory.reading.reader import Reader


class Reviewing:
    """The facts as the person uses them who decides what stands."""

    def __init__(self, *, store: Store, reader: Reader, clock: Clock, subjects: Subjects, lists: FactList) -> None:
        self._store = store
        self._clock = clock
        self._subjects = subjects
        self._changes = Changes(store=store, reader=reader, clock=clock)
        self._lists = lists
        self._lines = Lines(reader.schema)
        self._schema = reader.schema

    def is_critical(self, fact: Fact) -> bool:
        """Whether a change of this fact needs a person: its relation is critical, or it is of the worst severity."""
        return self._lines.is_critical(fact)

    async def decision(
        self, fact_id: str, change: Change, *, reason: str, actor: str, version: int | None = None, to: str = ""
    ) -> Decision:
        """The decision as it would be recorded; changes nothing.

        `version` is the sequence of the fact's newest event as it was read (`Fact.last_seq`); `None`: as it is now.
        `to` names the other subject of a `reattribute`, or the term of a `map_word`.

        Raises:
            InvalidInput: no such fact, reason, subject or term.
        """
        subject, fact = await self._lists.find_fact(fact_id)
        given = Decision(
            fact_id=fact.fact_id,
            change=change,
            reason=reason,
            actor=actor,
            version=fact.last_seq if version is None else version,
            to=to.strip(),
        )
        target = await self._target(given, subject, fact)
        return given if target is None else replace(given, to=target.id)

    async def check_change(
        self, fact_id: str, change: Change, *, reason: str, actor: str, version: int | None = None, to: str = ""
    ) -> bool:
        """Whether the decision would change something; false where it stands so already. Changes nothing.

        Raises:
            InvalidInput: as for `change_fact`.
        """
        decided = await self.decision(fact_id, change, reason=reason, actor=actor, version=version, to=to)
        events = await self._lists.history(decided.fact_id)
        done = is_done(decided, events)
        if not done:
            check_allowed(decided, events)
        return not done

    async def change_fact(
        self,
        fact_id: str,
        change: Change,
        *,
        reason: str,
        actor: str,
        version: int | None = None,
        to: str = "",
        by_person: bool = True,
    ) -> Changed:
        """Records a decision about a fact; nothing is deleted, everything stays in its history.

        `by_person=False` says that a program decided, which only facts that are not critical allow. Arguments as for
        `decision`.

        Raises:
            InvalidInput: no such fact; it moved on since `version`; its status does not allow the change.
            StoreUnavailable, NotStored: it may or may not be recorded; the same call again is harmless.
        """
        decided = await self.decision(fact_id, change, reason=reason, actor=actor, version=version, to=to)
        subject, fact = await self._lists.find_fact(decided.fact_id)
        if not by_person and self.is_critical(fact):
            raise InvalidInput("a critical fact is changed by a person only; request the change instead")
        target = await self._target(decided, subject, fact)
        route = Route.PERSON if by_person else Route.CLIENT
        return await self._changes.make(decided, subject, route=route, target=target)

    async def request_change(
        self, fact_id: str, change: Change, *, reason: str, actor: str, version: int | None = None, to: str = ""
    ) -> Changed:
        """Asks a person for a change: it is listed by `review`, and stands in every block, until somebody answers.

        Raises:
            InvalidInput: as for `change_fact`; or this very request was declined.
        """
        decided = await self.decision(fact_id, change, reason=reason, actor=actor, version=version, to=to)
        subject, _ = await self._lists.find_fact(decided.fact_id)
        return await self._changes.request(decided, subject)

    async def review(self, *, subject: str | Entity = "") -> Review:
        """Everything that waits for a person, of one subject or of all: words, requested changes, facts in doubt."""
        items: list[Waiting] = []
        failed: dict[str, str] = {}
        for about in await self._subjects.chosen(subject):
            found = await self._store.neighbourhood(about, self._lists.relations)
            items += self._waiting(about, found)
            failed |= {f"{about.id} {relation}": reason for relation, reason in found.failed.items()}
        return Review(items=tuple(items), failed=failed)

    async def approve(self, request_id: str, *, actor: str, reason: str = "") -> Changed:
        """Makes the change that a request asks for; without a reason of one's own, for the reason given there.

        Raises:
            InvalidInput: no such request; the fact moved on since it was asked for.
        """
        episode, _ = await self._open_episode(request_id)
        asked = requested(episode)
        if asked is None:
            raise InvalidInput("these are words, not a request; store facts from them, or dismiss them")
        why = reason or asked.reason
        return await self.change_fact(
            asked.fact_id, asked.change, reason=why, actor=actor, version=asked.version, to=asked.to
        )

    async def dismiss(self, id_: str, *, actor: str, reason: str) -> None:
        """Settles words that hold nothing to store, or declines a request; both stay in the ledger, with the reason.

        Raises:
            InvalidInput: nothing of this id waits.
        """
        episode, subject = await self._open_episode(id_)
        check_authority(actor=actor, reason=reason)
        await self._changes.dismiss(episode, subject, actor=actor, reason=reason)

    async def store_reviewed(self, episode_id: str, claims: Sequence[Claim], *, actor: str) -> tuple[Fact, ...]:
        """Stores what a person read in words that waited, and settles them; all claims or none.

        Raises:
            InvalidInput: a claim is refused, with its reason; or nothing of this id waits.
        """
        episode, subject = await self._open_episode(episode_id)
        if requested(episode) is not None:
            raise InvalidInput("this is a request, not somebody's words; approve or dismiss it")
        check_authority(actor=actor, reason="read by a person")
        return await self._changes.store_reviewed(episode, subject, claims, actor=actor)

    async def _target(self, decided: Decision, subject: Entity, fact: Fact) -> Entity | None:
        """Where a change moves its fact: the other subject, or the concept; `None` for any other change."""
        if decided.change is Change.REATTRIBUTE:
            other = await self._subjects.resolve(decided.to)
            if other.uid == subject.uid:
                raise InvalidInput(f"the fact is about '{subject.id}' already; name the other {other.type}")
            return other
        if decided.change is Change.MAP_WORD:
            declared, lexicon = self._schema.relations.get(fact.relation), self._schema.lexicon
            return term_of(decided.to, tuple(lexicon.terms) if declared is None else declared.objects, lexicon)
        return None

    def _waiting(self, about: Entity, found: Neighbourhood) -> tuple[Waiting, ...]:
        now = self._clock.now()
        facts = {fact.fact_id: fact for fact in found.facts}
        critical = frozenset(id_ for id_, fact in facts.items() if self.is_critical(fact))
        doubtful = (
            waiting_fact(fact, about, stale=self._lines.is_stale(fact, now), critical=fact.fact_id in critical)
            for fact in found.facts
        )
        words = (waiting_words(episode, about, facts, critical) for episode in found.pending)
        return in_order((*words, *(item for item in doubtful if item is not None)))

    async def _open_episode(self, id_: str) -> tuple[Episode, Entity]:
        """A statement or request that waits, and whom it is about.

        Raises:
            InvalidInput: nothing of this id waits.
        """
        episode = await self._store.episode(self._subjects.space, id_)
        if episode is None or episode.status not in OPEN:
            raise InvalidInput(f"nothing that waits has the id '{id_[:36]}'; use one of the review list")
        return episode, await self._subjects.of_uid(episode.subject_uid)
