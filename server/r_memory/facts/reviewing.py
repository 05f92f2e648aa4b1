"""Decisions of a person about facts, requests and waiting statements. No decision deletes anything.

Each write is one transaction of one subject, so a crash leaves only whole decisions. Moving a fact to another subject
takes two: a crash in between leaves the fact with both subjects, and the request in the review list.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from r_memory.domain import changes
from r_memory.domain.changes import Change, Decision, Review, Waiting, doubts_of, in_order
from r_memory.domain.corrections import named_all
from r_memory.domain.events import OPEN, Chain, ChainHead, Episode, EpisodeStatus, FactEvent
from r_memory.domain.facts import BEFORE, PERSON, Attribute, Entity, Fact, Observation, Rejection, Route
from r_memory.domain.folding import fold_all
from r_memory.domain.identity import identity_key, shown
from r_memory.domain.instants import iso_day
from r_memory.errors import AlreadyDecided, InvalidInput
from r_memory.facts.about_another import AboutAnother
from r_memory.facts.copies import Copies, LeftOver
from r_memory.facts.ledger import Events, Ledger, unwritten
from r_memory.facts.listing import FactList, is_listed
from r_memory.facts.recall.lines import lines_under
from r_memory.facts.recall.waiting import WaitingStatements as Statements
from r_memory.facts.remember.doubting import Doubts
from r_memory.facts.remember.results import Claim
from r_memory.facts.remember.utterances import Statement
from r_memory.facts.subjects import Subjects, checked_word
from r_memory.facts.withdrawing import SaidWords, Withdrawing, facts_in
from r_memory.protocols import Clock, Neighbourhood, Store, Utterance
from r_memory.reading.reader import Reader
from r_memory.text.inert import inert, inert_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The result of a decision; `changed` only if the change was read back."""

    outcome: Literal["changed", "already", "requested"]
    """`already`: the fact was so before. `requested`: nothing changed, a person is asked."""
    subject: Entity
    before: Fact
    after: Fact
    event_id: str
    """Id of the event that records the decision, or of the request; empty if the fact was so before."""
    elsewhere: Fact | None = None
    """The moved fact, if it was moved to another subject or a term."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundWords:
    """Words that somebody asks to forget, and that are no fact."""

    subject: Entity
    said: SaidWords
    held: bool
    """Whether only a person may withdraw them: they may hold a risk, or another said them."""
    gone: bool
    """Whether they are withdrawn already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A person with the name by which everybody finds them."""

    subject: Entity
    name: str
    before: str
    """The name before; the same if nothing was changed."""


DECISIONS: Mapping[str, tuple[Change, str]] = {
    "c": (Change.CONFIRM, "[c]onfirm"),
    "r": (Change.REFUTE, "[r]efute (tested)"),
    "g": (Change.RESOLVE, "is [g]one"),
    "e": (Change.ENTERED_IN_ERROR, "[e]rror"),
    "k": (Change.SETTLE_CONFLICT, "[k]eep, end the conflict"),
    "w": (Change.ACCEPT, "[w]eighed, stands beside what it does not go together with"),
    "o": (Change.REATTRIBUTE, "s[o]mebody else's"),
    "m": (Change.MAP_WORD, "[m]ap the word"),
}
"""Possible decisions about a fact: by key, the change and the label shown to the person."""


def claim_of(text: str, words: str) -> Claim:
    """A fact as a person types it, `RELATION: object; name=value`; its evidence is all the words, unless it gives some.

    >>> claim_of("HAS_ALLERGY_TO: latex; severity=severe", "Latex, badly.").attrs
    {'severity': 'severe'}

    Raises:
        InvalidInput: it is not written so.
    """
    relation, colon, rest = text.partition(":")
    object_, *details = (part.strip() for part in rest.split(";"))
    pairs = [part.partition("=") for part in details if part]
    if not (colon and object_ and all(equals for _, equals, _ in pairs)):
        raise InvalidInput("a fact is written as `RELATION: object; name=value`, such as `HAS_ALLERGY_TO: latex`")
    values = {name.strip(): value.strip() for name, _, value in pairs}
    return Claim(
        relation=relation.strip(),
        object=object_,
        status=values.pop("status", "active"),
        evidence=values.pop("evidence", words),
        attrs={name: _attribute(value) for name, value in values.items()},
    )


def _attribute(text: str) -> Attribute:
    """The text, converted to a number if it is one.

    >>> _attribute("3"), _attribute("0.5"), _attribute("severe")
    (3, 0.5, 'severe')
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def described(fact: Fact, subject: Entity) -> str:
    """A fact in words for a question to a person: the triple and its status, inert."""
    triple = f"{inert_name(subject.name)} ({inert_name(subject.id)}) {fact.relation} {inert_name(fact.object.name)}"
    return f"{triple}, {changes.shown_status(fact)}"


class Reviewing:
    """Decisions of a person about facts, requests and waiting statements."""

    def __init__(
        self, *, store: Store, reader: Reader, clock: Clock, subjects: Subjects, lists: FactList, copies: Copies
    ) -> None:
        self._store = store
        self._reader = reader
        self._schema = reader.schema
        self._clock = clock
        self._subjects = subjects
        self._lists = lists
        self._copies = copies
        self._lines = lines_under(reader.schema)
        self._ledger = Ledger(store=store, grades=reader.schema.severity.grades)
        self._statements = Statements(reader)
        self._about_another = AboutAnother(reader)
        self._doubts = Doubts(reader, clock)
        self._withdrawing = Withdrawing(store=store, reader=reader, clock=clock)

    def is_critical(self, fact: Fact) -> bool:
        """Whether its relation is critical, or its severity is the worst."""
        return self._lines.is_critical(fact)

    def is_protected(self, fact: Fact) -> bool:
        """Whether only a person may change this fact: it is critical, and no instruction."""
        return self._lines.is_protected(fact)

    async def check_change(
        self, fact_id: str, change: Change, *, reason: str, actor: str, version: int | None = None, to: str = ""
    ) -> bool:
        """Whether the decision would change the fact; stores nothing. Arguments and errors as for `change_fact`."""
        _, fact = await self._lists.find_fact(fact_id)
        decided, _ = await self._decision(fact, change, reason=reason, actor=actor, version=version, to=to)
        events = await self._lists.history(fact.fact_id)
        done = changes.is_done(decided, events)
        if not done:
            changes.check_allowed(decided, events)
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
        """Records a decision about a fact, and settles the open request for it; deletes nothing.

        `version` is the sequence number of the fact's newest event as it was read (`Fact.last_seq`); `None` skips the
        check. `to` names the new subject of a `reattribute`, or the term of a `map_word`. `by_person=False` says that a
        program decided: it may not change critical facts, and may never `accept` or `override`.

        Raises:
            InvalidInput: the fact, subject or term does not exist; the fact changed since `version`; its status does
                not allow the change.
            StoreUnavailable, NotStored: the decision may or may not be stored; the call can be repeated.
        """
        subject, fact = await self._lists.find_fact(fact_id)
        decided, target = await self._decision(fact, change, reason=reason, actor=actor, version=version, to=to)
        if not by_person and (self.is_protected(fact) or change in {Change.ACCEPT, Change.OVERRIDE}):
            raise InvalidInput(
                "a critical fact, or one beside another, is changed by a person only; request the change instead"
            )
        if target is None:
            made = await self._decided(decided, subject, Route.PERSON if by_person else Route.CLIENT)
            if change is Change.ENTERED_IN_ERROR:
                await self._settle_wishes(made.after, subject, actor=actor, reason=reason)
            return made
        if change is Change.MAP_WORD:
            return await self._mapped(decided, subject, target)
        return await self._reattributed(decided, subject, target)

    async def find_words(self, words: str, *, subject: str | Entity = "") -> FoundWords | None:
        """Said words that were never a fact, by themselves, by words that name them, or by the id of their statement.

        `None` if there are none.

        Raises:
            InvalidInput: several different sentences hold the words; or recorded facts rest on them.
        """
        about, found = await self._said(words, subject)
        if about is None or not found:
            return None
        if len(found) > 1:
            told = "; ".join(f'"{inert(each.words, _QUOTE)}"' for each in found[:_MOST])
            raise InvalidInput(f"{len(found)} sentences hold these words: {told}; give all the words of one")
        known = (await self._store.neighbourhood(about, self._lists.relations)).facts
        if standing := facts_in(found[0].words, (fact for fact in known if is_listed(fact))):
            raise InvalidInput(
                f"what these words state is recorded: {named_all(standing)}; give the id of the fact, or, of a text "
                "that states more, the words alone that are meant"
            )
        return await self._found(about, found[0])

    async def _found(self, about: Entity, said: SaidWords) -> FoundWords:
        own = said.episode.role == "user" and self._subjects.is_owners(said.episode.speaker)
        worker = self._reader.worker_of(said.words)
        held = not own or await worker.run(self._withdrawing.may_hold_a_risk, said, about)
        hidden = await self._lists.withdrawn([about.uid])
        return FoundWords(subject=about, said=said, held=held, gone=hidden.masked(said.words) != said.words)

    async def _said(self, words: str, subject: str | Entity) -> tuple[Entity | None, Sequence[SaidWords]]:
        episode = await self._store.episode(self._subjects.space, words.strip())
        if episode is not None and changes.requested(episode) is None:
            about = await self._subjects.of_uid(episode.subject_uid)
            return about, [SaidWords(episode=episode, words=episode.text)]
        if not (subject or self._subjects.single):
            return None, ()
        about = await self._subjects.resolve(subject)
        told = await self._lists.utterances(subject=about)
        sayings = self._lists.sayings
        return about, sayings.exactly(words, told) or sayings.holding(words, told)

    async def withdraw_words(self, found: FoundWords, *, actor: str, reason: str, by_person: bool) -> Fact:
        """Takes words out of view that no fact rests on, and settles the wishes to forget them; the hidden note.

        Raises:
            InvalidInput: the words may hold a risk or are another's, and a program decided.
        """
        changes.check_authority(actor=actor, reason=reason)
        if found.held and not by_person:
            raise InvalidInput("words that may hold a risk, or are another's, are withdrawn by a person only")
        route = Route.PERSON if by_person else Route.CLIENT
        note = await self._withdrawing.withdraw(found.subject, found.said, actor=actor, reason=reason, route=route)
        await self._settle_wishes(note, found.subject, actor=actor, reason=reason)
        return note

    async def withdraw_copies(self, withdrawn: Fact, *, actor: str, reason: str, by_person: bool) -> tuple[Fact, ...]:
        """Takes the words of a withdrawn fact out of view with all others for whom the same text was told; the hidden
        notes.

        Only in the installation of one person, who owns all that is told there: elsewhere nothing is done. Words that
        may hold a risk, that another said, or on which a fact rests, stay: `still_shown` names them.

        Raises:
            StoreError: some copies may still be shown; the call can be repeated.
        """
        if not self._subjects.single:
            return ()
        notes: list[Fact] = []
        for about, said in await self._copies.told_of_others(withdrawn):
            found = await self._found(about, said)
            stays = found.gone or (found.held and not by_person)
            if not stays and self._withdrawing.is_possible(about, said):
                notes.append(await self.withdraw_words(found, actor=actor, reason=reason, by_person=by_person))
        return tuple(notes)

    async def rename(self, subject: str | Entity, name: str, *, actor: str, reason: str, by_person: bool) -> Renamed:
        """Gives a person another name, by which everybody finds them from now on; the old one still means them.

        The person keeps id, facts and history; the new name is an event of theirs.

        Raises:
            InvalidInput: the name means somebody else already, or is no name; or the schema has no relation for names.
        """
        changes.check_authority(actor=actor, reason=reason)
        naming = self._schema.naming
        if naming is None:
            raise InvalidInput("the schema has no relation for names, and nobody was renamed")
        about, wanted = await self._subjects.resolve(subject), checked_word(name, "name")
        known = await self._store.neighbourhood(about, [naming.name])
        before = self._subjects.now_called(about, known.facts) or about.name
        if identity_key(wanted) == identity_key(before):
            return Renamed(subject=about, name=before, before=before)
        others = [*await self._subjects.meant(wanted), *await self._subjects.newly_called(wanted)]
        if others := [other for other in others if other.uid != about.uid]:
            raise InvalidInput(
                f"the name '{wanted}' means {shown(others)}, and nobody was renamed; the id tells them apart"
            )
        said = Statement(text=f"{wanted}: {reason}", subject=about, speaker=actor, key=f"{wanted}#{known.watermark}")
        episode = replace(said.episode(now=self._clock.now(), changed_seq=0), status=EpisodeStatus.EXTRACTED)
        claim = Claim(relation=naming.name, object=wanted, evidence=wanted, attrs={BEFORE: before})
        utterance = Utterance(text=episode.text, role=episode.role, speaker=episode.speaker, subject=about)
        route, extractor = (Route.PERSON, PERSON) if by_person else (Route.CLIENT, _CLIENT)
        formed = self._reader.validator.form(utterance, claim.proposal(route, extractor))
        if isinstance(formed, Rejection):
            raise InvalidInput(f"nobody was renamed: {formed.reason}")
        seen, version = formed[0], self._schema.version
        await self._store.add_episode(episode)
        now = self._clock.now()
        await self._ledger.append(
            about,
            [seen.fact_id],
            lambda chain: unwritten([seen], chain, episode=episode, now=now, schema_version=version, actor=actor),
            episode=None,
        )
        return Renamed(subject=about, name=seen.object.name, before=before)

    async def still_shown(self, withdrawn: Fact) -> LeftOver:
        """What still shows the words of a withdrawn fact, about its person or others, and how it can be withdrawn."""
        return await self._copies.left_by(withdrawn)

    async def request_change(
        self, fact_id: str, change: Change, *, reason: str, actor: str, version: int | None = None, to: str = ""
    ) -> Changed:
        """Asks a person for a change. `review` lists the request, and every block shows it, until it is answered.

        Raises:
            InvalidInput: as for `change_fact`; or this same request was declined before.
        """
        subject, fact = await self._lists.find_fact(fact_id)
        decided, _ = await self._decision(fact, change, reason=reason, actor=actor, version=version, to=to)
        events = (await self._store.chain(subject.uid, (decided.fact_id,))).events
        before = self._fold(events, decided.fact_id)
        if changes.is_done(decided, events):
            return Changed(outcome="already", subject=subject, before=before, after=before, event_id="")
        changes.check_allowed(decided, events)
        (asked,) = await self._store.add_episode(changes.request(decided, subject=subject, now=self._clock.now()))
        if asked.status not in OPEN:
            day = "" if asked.settled_at is None else f" on {iso_day(asked.settled_at)}"
            raise InvalidInput(f"this change was asked for and declined{day}; ask the people in charge, then try again")
        return Changed(outcome="requested", subject=subject, before=before, after=before, event_id=asked.id)

    async def review(self, *, subject: str | Entity = "") -> Review:
        """Everything that waits for a person, about one subject or all: statements, requested changes,
        facts in doubt.
        """
        return await self.review_of(await self._subjects.chosen(subject))

    async def review_of(self, people: Sequence[Entity]) -> Review:
        """What waits about these people, whom the caller has just read from the store.

        A few are read at the same time.
        """
        items: list[Waiting] = []
        failed: dict[str, str] = {}
        for some in (people[at : at + _SIDE_BY_SIDE] for at in range(0, len(people), _SIDE_BY_SIDE)):
            looks = (self._store.neighbourhood(about, self._lists.relations) for about in some)
            for about, found in zip(some, await asyncio.gather(*looks), strict=True):
                items += in_order(self._waiting(about, found))
                failed |= {f"{about.id} {relation}": reason for relation, reason in found.failed.items()}
        return Review(items=tuple(items), failed=failed)

    async def approve(self, request_id: str, *, actor: str, reason: str = "") -> Changed:
        """Makes the change that a request asks for; without `reason`, for the reason of the request.

        Raises:
            InvalidInput: the request does not exist, or the fact changed since the request.
        """
        episode, _ = await self._open_episode(request_id)
        asked = changes.requested(episode)
        if asked is None:
            raise InvalidInput("these are words, not a request; store facts from them, or dismiss them")
        why = reason or asked.reason
        return await self.change_fact(
            asked.fact_id, asked.change, reason=why, actor=actor, version=asked.version, to=asked.to
        )

    async def dismiss(self, id_: str, *, actor: str, reason: str) -> None:
        """Settles a statement that states nothing to store, with the wishes to forget it; or declines a request.

        All stay in the ledger with the reason.

        Raises:
            InvalidInput: no waiting statement or request has this id.
        """
        episode, subject = await self._open_episode(id_)
        changes.check_authority(actor=actor, reason=reason)
        await self._ledger.append(subject, (), lambda _: (), episode=self._settled(episode, actor=actor, reason=reason))
        if changes.requested(episode) is None:
            found = await self._store.neighbourhood(subject, self._lists.relations)
            for request in self._doubts.forgotten_with(episode, found.facts, found.pending):
                settled = self._settled(request, actor=actor, reason=reason)
                await self._ledger.append(subject, (), lambda _: (), episode=settled)

    async def waiting_statement(self, id_: str) -> tuple[Episode, Entity, bool]:
        """A waiting statement, its subject, and whether it may hold a risk (then only a person may settle it).

        Raises:
            InvalidInput: no waiting statement has this id; it may be a request.
        """
        episode, about = await self._open_episode(id_)
        if changes.requested(episode) is not None:
            raise InvalidInput("this is a request, not somebody's words; a person approves or dismisses it")
        held = await self._reader.worker_of(episode.text).run(self._statements.may_hold_a_risk, episode)
        return episode, about, held

    async def stands_with(self, episode: Episode, other: str | Entity) -> bool:
        """Whether all that waits of a statement is on the record of another person whom it names.

        Raises:
            SubjectUnknown, SubjectAmbiguous: the other is nobody, or may be several.
        """
        about, subject = await self._subjects.resolve(other), await self._subjects.of_uid(episode.subject_uid)
        if about.uid == subject.uid or changes.requested(episode) is not None:
            return False
        known = (await self._store.neighbourhood(about, self._lists.relations)).facts
        worker = self._reader.worker_of(episode.text)
        return await worker.run(self._about_another.stands, episode, subject, about, known)

    async def store_reviewed(self, episode_id: str, claims: Sequence[Claim], *, actor: str) -> tuple[Fact, ...]:
        """Stores the claims that a person read in a waiting statement, all or none, and settles the statement.

        Raises:
            InvalidInput: a claim is rejected, with the reason; or no waiting statement has this id.
        """
        episode, subject = await self._open_episode(episode_id)
        if changes.requested(episode) is not None:
            raise InvalidInput("this is a request, not somebody's words; approve or dismiss it")
        changes.check_authority(actor=actor, reason=_READ)
        seen = await self._reader.worker_of(episode.text).run(self._validated, episode, subject, claims)
        written = await self._ledger.append(
            subject,
            [each.fact_id for each in seen],
            lambda chain: unwritten(
                seen, chain, episode=episode, now=self._clock.now(), schema_version=self._schema.version, actor=actor
            ),
            episode=self._settled(episode, actor=actor, reason=_READ),
        )
        return written.facts

    # decisions

    async def _decision(
        self, fact: Fact, change: Change, *, reason: str, actor: str, version: int | None, to: str
    ) -> tuple[Decision, Entity | None]:
        """The decision, and the subject or concept to which it moves the fact; `None` for other changes."""
        decided = Decision(
            fact_id=fact.fact_id,
            change=change,
            reason=reason,
            actor=actor,
            version=fact.last_seq if version is None else version,
            to=to.strip(),
        )
        if change is Change.REATTRIBUTE:
            target = await self._subjects.resolve(decided.to)
            if target.uid == fact.subject_uid:
                raise InvalidInput(f"the fact is about '{target.id}' already; name the other {target.type}")
        elif change is Change.MAP_WORD:
            declared, lexicon = self._schema.relations.get(fact.relation), self._schema.lexicon
            types = tuple(lexicon.terms) if declared is None else declared.objects
            target = changes.term_of(decided.to, types, lexicon)
        else:
            return decided, None
        return replace(decided, to=target.id), target

    async def _decided(self, decision: Decision, subject: Entity, route: Route = Route.PERSON) -> Changed:
        return await self._written(decision, subject, lambda chain: self._event(decision, chain, route))

    async def _settle_wishes(self, withdrawn: Fact, subject: Entity, *, actor: str, reason: str) -> None:
        """Settles the requests to forget the withdrawn fact."""
        found = await self._store.neighbourhood(subject, self._lists.relations)
        for wish in self._doubts.answered_by(withdrawn, found.facts, found.pending):
            settled = self._settled(wish, actor=actor, reason=reason)
            await self._ledger.append(subject, (), lambda _: (), episode=settled)

    async def _mapped(self, decision: Decision, subject: Entity, concept: Entity) -> Changed:
        """Records the fact under its term and closes it under the unknown word, in one transaction."""
        first = await self._store.chain(subject.uid, (decision.fact_id,))
        there = self._moved(decision, first.events, subject, concept, ChainHead()).fact_id

        def events(chain: Chain) -> Events:
            own = _own(chain.events, decision.fact_id)
            if changes.is_done(decision, own):
                return ()
            moved = self._moved(decision, own, subject, concept, chain.head)
            return moved, *self._event(decision, chain, Route.PERSON, after=(moved,), mapped_to=concept.uid)

        return await self._written(decision, subject, events, there)

    async def _reattributed(self, decision: Decision, subject: Entity, other: Entity) -> Changed:
        """Records the request, then the fact with the other subject, then the error mark here: a crash in between loses
        nothing.

        Making the decision again, or approving the request, continues after the crash.
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

    async def _written(
        self, decision: Decision, subject: Entity, build: Callable[[Chain], Events], there: str = ""
    ) -> Changed:
        """Writes the events of the decision, settles the open request for it, and returns the result."""
        asked = await self._store.episode(subject.space, changes.request(decision, subject=subject, now=0).id)
        settles = None
        if asked is not None and asked.status in OPEN:
            settles = self._settled(asked, actor=decision.actor, reason=decision.reason)
        written = await self._ledger.append(
            subject, [decision.fact_id, *([there] if there else ())], build, episode=settles
        )
        by_id = {fact.fact_id: fact for fact in written.facts}
        before = self._fold(written.before, decision.fact_id)
        after = by_id.get(decision.fact_id, before)
        done = after.last_seq != before.last_seq
        return Changed(
            outcome="changed" if done else "already",
            subject=subject,
            before=before,
            after=after,
            event_id=changes.change_id(decision) if done else "",
            elsewhere=by_id.get(there),
        )

    def _event(self, decision: Decision, chain: Chain, route: Route, after: Events = (), mapped_to: str = "") -> Events:
        """The event that records the decision; none if the fact is so already."""
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

    def _fold(self, events: Sequence[FactEvent], fact_id: str) -> Fact:
        [fact] = fold_all(_own(events, fact_id), scale=self._schema.severity.grades)
        return fact

    # what waits

    def _waiting(self, about: Entity, found: Neighbourhood) -> Iterator[Waiting]:
        now = self._clock.now()
        facts = {fact.fact_id: fact for fact in found.facts}
        for episode in found.pending:
            asked = changes.requested(episode)
            if asked is None:
                beside = self._doubts.beside(episode, about, found.facts)
                yield Waiting(subject=about, why=("statement",), critical=True, episode=episode, beside=beside)
                continue
            fact = facts.get(asked.fact_id)
            critical = fact is not None and self.is_critical(fact)
            yield Waiting(
                subject=about, why=("request",), critical=critical, fact=fact, episode=episode, decision=asked
            )
        for fact in found.facts:
            if why := doubts_of(fact, stale=self._lines.is_stale(fact, now)):
                yield Waiting(subject=about, why=why, critical=self.is_critical(fact), fact=fact)

    async def _open_episode(self, id_: str) -> tuple[Episode, Entity]:
        """A waiting statement or request, and its subject.

        Raises:
            InvalidInput: no statement and no request has this id.
            AlreadyDecided: it was decided before.
        """
        episode = await self._store.episode(self._subjects.space, id_)
        if episode is None:
            raise InvalidInput(f"nothing that waits has the id '{id_[:36]}'; use one of the review list")
        if episode.status not in OPEN:
            raise AlreadyDecided
        return episode, await self._subjects.of_uid(episode.subject_uid)

    def _settled(self, episode: Episode, *, actor: str, reason: str) -> Episode:
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
        checked = [self._reader.validator.check(utterance, claim.proposal(Route.PERSON, PERSON)) for claim in claims]
        refused = [each.reason for each in checked if isinstance(each, Rejection)]
        if refused or not checked:
            raise InvalidInput(f"nothing was stored: {'; '.join(refused) or 'no fact was given'}")
        seen = {each.fact_id: each for each in checked if isinstance(each, Observation)}
        return tuple(seen.values())


_READ = "read by a person"
_CLIENT = "client/1"
_QUOTE, _MOST = 80, 3
"""Maximum characters of a quoted sentence, and number of them, in an error."""
_SIDE_BY_SIDE = 5
"""Number of people whose waiting statements are read at the same time."""


def _own(events: Sequence[FactEvent], fact_id: str) -> Events:
    """The events of one fact."""
    own = tuple(event for event in events if event.fact_id == fact_id)
    if not own:
        raise InvalidInput(f"no fact has the id '{fact_id[:36]}'; use one of `facts` or of a block")
    return own
