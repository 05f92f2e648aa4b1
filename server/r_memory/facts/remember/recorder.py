"""Remembering: the words first, durable; then what they say, validated; then one transaction.

A crash in between leaves a pending episode, which `resume` picks up. Knows protocols and domain only.
"""

import asyncio
import logging
import random
from collections import Counter
from collections.abc import AsyncGenerator, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

from r_memory.domain.changes import under_its_term
from r_memory.domain.events import (
    OPEN,
    Batch,
    Chain,
    ChainHead,
    Episode,
    EpisodeStatus,
    FactEvent,
    Role,
    observation_id,
    observed,
)
from r_memory.domain.facts import (
    RISK,
    UNMAPPED_TYPE,
    Entity,
    Extraction,
    Fact,
    Observation,
    Proposal,
    Rejection,
    ReviewItem,
    Route,
    Span,
)
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant, iso_day
from r_memory.errors import (
    BadReply,
    InvalidInput,
    KeyUsed,
    ModelError,
    NotStored,
    ReadingTooLong,
    StoreUnavailable,
    WriteConflict,
)
from r_memory.facts.remember.merging import merged
from r_memory.facts.remember.results import Claim, Remembered, Result, RouteTaken
from r_memory.facts.remember.utterances import episode_id
from r_memory.protocols import Clock, RemoteExtractor, Store, Turn, Utterance
from r_memory.reading.reader import Reader

logger = logging.getLogger(__name__)

EVIDENCE_ROLES: frozenset[Role] = frozenset({"user", "document"})
"""Whose words are evidence; an assistant's own output never is."""
_ATTEMPTS = 12
_CONVERSATION = 5_000
"""Turns of a conversation among which one that was said earlier is looked for."""
_AT_ONCE = 4
"""Utterances of one text that a model is asked about at the same time."""
_READINGS = 2
"""Readings that may break off, with the process or without an answer of the store, before a person is asked."""
_NONSENSE = 3
"""Bad answers about one utterance before a process stops asking."""

_ZONES_MS = 86_400_000
"""How far ahead of this machine somebody's clock may be; a day covers every time zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One utterance about one subject, checked and ready to be remembered."""

    text: str
    subject: Entity
    role: Role = "user"
    speaker: str = ""
    conversation: str = ""
    key: str = ""
    """The caller's idempotency key."""
    said_at: Instant | None = None
    """`None` means now."""
    claims: tuple[Claim, ...] = ()
    """Triples that the caller read in the text."""
    before: tuple[Turn, ...] | None = None
    """The turns before, oldest first; `None` takes those that the conversation holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Understood:
    """What was made of an utterance, before anything is written."""

    observations: tuple[Observation, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    review: tuple[ReviewItem, ...] = ()
    language: str = ""
    failed: bool = False
    """It could not be read at all."""
    routes: tuple[RouteTaken, ...] = ()

    @property
    def status(self) -> EpisodeStatus:
        """Words that the offline routes read without a doubt leave the view although a model failed (decision 0016)."""
        model_failed = any(taken.failed for taken in self.routes)
        read_offline = any(taken.route is Route.RULES and not taken.failed for taken in self.routes)
        if self.failed or (model_failed and (self.review or not read_offline)):
            return EpisodeStatus.FAILED
        if model_failed:
            return EpisodeStatus.RETRY
        return EpisodeStatus.NEEDS_REVIEW if self.review else EpisodeStatus.EXTRACTED


class Recorder:
    """Writes utterances of one space."""

    def __init__(
        self,
        *,
        store: Store,
        reader: Reader,
        clock: Clock,
        context_turns: int,
    ) -> None:
        """What reads offline is asked first; models may fail, and then the offline result stands."""
        self._store = store
        self._worker = reader.worker
        self._extractors = reader.extractors
        self._models = reader.models
        self._validator = reader.validator
        self._schema = reader.schema
        self._clock = clock
        self.context_turns = context_turns
        """How many earlier utterances help to read one."""
        self._nonsense: Counter[str] = Counter()
        self._changed: dict[str, int] = {}
        """Subject to the last change by a person, where this process met one."""
        self._one_writer: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def remember(self, said: Statement, *, dry_run: bool = False) -> Remembered:
        """Stores the words and what they say; with `dry_run`, only says what would be stored.

        Raises:
            KeyUsed: the caller's key was given with other words before; nothing was stored.
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored, what they say is not yet.
        """
        if dry_run:
            episode = await self._unstored(said)
            await self._check_key(said, episode)
            before = said.before if said.before is not None else await self._before(episode, is_new=True)
            return _dry(await self._understand(episode, said.subject, said.claims, before), episode, said.subject)
        episode, stored = await self._added(said)
        _check_same(said, stored)
        # Triples may come after the words, once the caller has seen what was not read in them.
        if stored.status in {EpisodeStatus.EXTRACTED, EpisodeStatus.NEEDS_REVIEW} and not said.claims:
            return await self._already(stored, said.subject)
        try:
            is_new = stored.recorded_at == episode.recorded_at
            before = said.before if said.before is not None else await self._before(stored, is_new=is_new)
            return await self._read_and_append(stored, said.subject, said.claims, before)
        except StoreUnavailable as error:
            raise NotStored(
                "the words are stored and stay in view as a pending statement, but what they say could not be "
                "stored yet; try again with the same text"
            ) from error

    async def check_keys(self, told: Iterable[Statement]) -> None:
        """Passes utterances whose keys are new, or were given with the same words; nothing is stored.

        Raises:
            KeyUsed: one was given with other words.
        """
        for said in told:
            await self._check_key(said, await self._unstored(said))

    async def _check_key(self, said: Statement, episode: Episode) -> None:
        stored = await self._store.episode(episode.space, episode.id)
        if stored is not None:
            _check_same(said, stored)

    async def remember_all(self, told: Sequence[Statement], *, dry_run: bool = False) -> AsyncGenerator[Remembered]:
        """One result for each utterance, in their order, as they come; a few are read at a time where a model is asked.

        Raises:
            StoreUnavailable: this one and those after it were not stored.
            NotStored: the words of this one are stored, what they say is not yet.
        """
        at_once = _AT_ONCE if self._models else 1
        for first in range(0, len(told), at_once):
            some = told[first : first + at_once]
            if len(some) > 1 and not dry_run:
                # Their words lie in the order in which they were said, whoever is read first.
                for said in some:
                    await self._added(said)
            for outcome in await asyncio.gather(
                *(self.remember(said, dry_run=dry_run) for said in some), return_exceptions=True
            ):
                if isinstance(outcome, BaseException):
                    raise outcome
                yield outcome

    async def resume(self, episodes: Iterable[Episode], subjects: dict[str, Entity]) -> int:
        """Reads episodes that a crash or a failure left open; gives how many are no longer.

        One whose readings broke off as often as they may is not read: it would stop every start. A person decides.

        Those that wait for a model alone are left once it does not answer: it would not for the next either. One that
        it answered with nonsense several times is left until the next start.
        """
        done = 0
        answers = True
        for episode in episodes:
            subject = subjects.get(episode.subject_uid)
            if subject is None:
                logger.warning("Open episode without a subject", extra={"action": "resume", "episode": episode.id})
                continue
            waits_for_model = episode.status is EpisodeStatus.RETRY
            if waits_for_model and not (answers and self._nonsense[episode.id] < _NONSENSE):
                continue
            remembered = await self._resumed(episode, subject)
            answers = all(taken.answered for taken in remembered.routes)
            done += not (remembered.pending or self._noted(episode, remembered.routes))
        return done

    async def _resumed(self, episode: Episode, subject: Entity) -> Remembered:
        """What a further reading gives, counted before it begins; words with another status had one that ended."""
        if episode.status is EpisodeStatus.PENDING:
            if episode.attempts >= _READINGS:
                logger.warning("Episode left to a person", extra={"action": "resume_left", "episode": episode.id})
                return await self._settle(episode, subject, _left(episode, _BROKE_OFF))
            episode = await self._store.begin_reading(episode)
        return await self._read_and_append(episode, subject, (), await self._before(episode, is_new=False))

    def _noted(self, episode: Episode, routes: Iterable[RouteTaken]) -> bool:
        """Whether a model failed, and counts how often it did so by its answer."""
        failed = [taken for taken in routes if taken.failed]
        self._nonsense[episode.id] += any(taken.answered for taken in failed)
        return bool(failed)

    async def _added(self, said: Statement) -> tuple[Episode, Episode]:
        """The episode as it was to be stored, and as it is stored: the earlier one where it was said before.

        Raises:
            NotStored: people keep changing this subject's facts.
        """
        uid = said.subject.uid
        for _ in range(_ATTEMPTS):
            # Nearly always right, and the store says where it is not: a question less for each statement.
            changed_seq = self._changed.get(uid, 0)
            episode = self._episode(said, changed_seq)
            try:
                # A key of the caller's decides alone.
                return episode, await self._store.add_episode(episode, changed_seq=None if said.key else changed_seq)
            except StoreUnavailable as error:
                raise NotStored(
                    f"{error}; whether the words were stored is not known: keep the statement in view and try again "
                    "with the same text, which stores it once"
                ) from error
            except WriteConflict:
                self._changed[uid] = (await self._store.chain(uid, ())).head.changed_seq
        raise NotStored("people keep changing this subject's facts; nothing was stored, try again with the same text")

    async def _unstored(self, said: Statement) -> Episode:
        """The episode of words that are not to be stored now."""
        changed_seq = 0 if said.key else (await self._store.chain(said.subject.uid, ())).head.changed_seq
        return self._episode(said, changed_seq)

    def _episode(self, said: Statement, changed_seq: int) -> Episode:
        now = self._clock.now()
        said_at = now if said.said_at is None else said.said_at
        if said_at > now + _ZONES_MS:
            raise InvalidInput(f"nobody said anything on {iso_day(said_at)} yet; give the time at which it was said")
        return Episode(
            id=episode_id(
                subject_uid=said.subject.uid,
                conversation=said.conversation,
                role=said.role,
                speaker=said.speaker,
                text=said.text,
                key=said.key,
                said_at=said_at,
                changed_seq=changed_seq,
            ),
            space=said.subject.space,
            subject_uid=said.subject.uid,
            conversation=said.conversation,
            speaker=said.speaker or said.role,
            role=said.role,
            text=said.text,
            said_at=said_at,
            recorded_at=now,
            attempts=1,  # its first reading begins as soon as it is stored
        )

    async def _before(self, episode: Episode, *, is_new: bool) -> tuple[Turn, ...]:
        """The turns before an utterance; of one that was said earlier those before it, never those after it.

        Another question before a "no" would be another fact. Far back in a long conversation there are none.
        """
        if not episode.conversation or not self.context_turns:
            return ()
        limit = self.context_turns + 1 if is_new else _CONVERSATION
        told = await self._store.conversation(episode.space, episode.subject_uid, episode.conversation, limit=limit)
        place = next((place for place, turn in enumerate(told) if turn.id == episode.id), len(told) if is_new else 0)
        return tuple(
            Turn(role=turn.role, speaker=turn.speaker, text=turn.text)
            for turn in told[max(0, place - self.context_turns) : place]
        )

    async def _read_and_append(
        self, episode: Episode, subject: Entity, claims: Sequence[Claim], before: tuple[Turn, ...]
    ) -> Remembered:
        return await self._settle(episode, subject, await self._understand(episode, subject, claims, before))

    async def _settle(self, episode: Episode, subject: Entity, understood: _Understood) -> Remembered:
        """Writes what was understood, and how far the words got."""
        understood = replace(understood, observations=await self._under_terms(subject, understood.observations))
        settled = replace(
            episode,
            status=understood.status,
            language=understood.language,
            review=tuple(item.text for item in understood.review),
            attempts=0,
        )
        async with self._one_writer.setdefault(subject.uid, asyncio.Lock()):
            events, facts = await self._append(settled, subject, understood.observations)
        await self._confirm(settled, events)
        watermark = events[-1].seq if events else 0
        return Remembered(
            subject=subject,
            episode_id=episode.id,
            results=_results(understood, facts, new={event.fact_id for event in events}),
            conflicts=tuple(fact for fact in facts if fact.contradicted),
            pending=int(settled.status in OPEN),
            watermark=watermark,
            routes=understood.routes,
        )

    async def _understand(
        self, episode: Episode, subject: Entity, claims: Sequence[Claim], before: tuple[Turn, ...]
    ) -> _Understood:
        if episode.role not in EVIDENCE_ROLES:
            return _Understood()
        utterance = Utterance(
            text=episode.text, role=episode.role, speaker=episode.speaker, subject=subject, before=before
        )
        try:
            readings = await self._worker.run(self._readings, utterance)
        except ReadingTooLong:
            return _left(episode, _TOO_LONG)
        except Exception:  # the boundary to extraction: whatever goes wrong there, the words stay in view as pending
            logger.exception("Extraction failed", extra={"action": "extraction_failed", "episode": episode.id})
            return _Understood(failed=True)
        answers = [await _answer(model, utterance) for model in self._models]
        try:
            return await self._worker.run(self._validated, utterance, claims, readings, answers)
        except ReadingTooLong:
            return _left(episode, _TOO_LONG)
        except Exception:  # the same boundary: validation runs the rules
            logger.exception("Extraction failed", extra={"action": "extraction_failed", "episode": episode.id})
            return _Understood(failed=True)

    def _readings(self, utterance: Utterance) -> Sequence[Extraction]:
        return [extractor.extract(utterance) for extractor in self._extractors]

    def _validated(
        self,
        utterance: Utterance,
        claims: Sequence[Claim],
        readings: Sequence[Extraction],
        answers: Sequence["_Answer"],
    ) -> _Understood:
        seen: list[Observation] = []
        rejections: list[Rejection] = []
        review = [item for reading in readings for item in reading.review]
        offline = readings[0] if readings else None
        for proposal in (*map(_proposal, claims), *(p for reading in readings for p in reading.proposals)):
            checked = self._validator.check(utterance, proposal, offline)
            if isinstance(checked, Observation):
                seen.append(checked)
            elif proposal.route is Route.CLIENT:
                rejections.append(checked)
            else:
                review.append(_unread(utterance, proposal, checked))
        taken = [
            RouteTaken(route=Route.RULES, extractor=extractor.name, alone=reading.alone)
            for extractor, reading in zip(self._extractors, readings, strict=False)  # none where words only wait
        ]
        for answer in answers:
            refused = [*answer.reading.rejections]
            for proposal in answer.reading.proposals:
                checked = self._validator.check(utterance, proposal, offline)
                if isinstance(checked, Observation):
                    seen.append(checked)
                else:
                    refused.append(checked)
            taken.append(replace(answer.taken, rejected=tuple(refused)))
        return _Understood(
            observations=merged(seen),
            rejections=tuple(rejections),
            review=tuple(review),
            language=readings[0].language if readings else "",
            routes=tuple(taken),
        )

    async def _under_terms(self, subject: Entity, observations: Sequence[Observation]) -> tuple[Observation, ...]:
        """The observations, with each word that a person mapped before under the term that it was mapped to."""
        unknown = {seen.fact_id for seen in observations if seen.object.type == UNMAPPED_TYPE}
        if not unknown:
            return tuple(observations)
        events = (await self._store.chain(subject.uid, sorted(unknown))).events
        under = (
            under_its_term(seen, [event for event in events if event.fact_id == seen.fact_id])
            if seen.fact_id in unknown
            else seen
            for seen in observations
        )
        # The term may have been named beside the word.
        return tuple({(seen.fact_id, seen.status): seen for seen in under}.values())

    async def _append(
        self, episode: Episode, subject: Entity, observations: Sequence[Observation]
    ) -> tuple[tuple[FactEvent, ...], tuple[Fact, ...]]:
        fact_ids = [observation.fact_id for observation in observations]
        for attempt in range(_ATTEMPTS):
            # Words that state nothing continue no chain: most turns of a conversation save a round trip.
            chain = await self._store.chain(subject.uid, fact_ids) if fact_ids else Chain(head=ChainHead(), events=())
            recorded = {event.id for event in chain.events}
            events = observed(
                [seen for seen in observations if observation_id(episode.id, seen) not in recorded],
                episode=episode,
                head=chain.head,
                now=self._clock.now(),
                schema_version=self._schema.version,
            )
            facts = fold_all((*chain.events, *events), scale=self._schema.severity.grades)
            batch = Batch(
                subject=subject,
                events=events,
                facts=facts,
                episode=episode,
                previous=chain.head,
                head=chain.after(events),
            )
            try:
                await self._store.append(batch)
            except WriteConflict:
                await asyncio.sleep(random.uniform(0, 0.005 * 2 ** min(attempt, 6)))  # noqa: S311 jitter, not a secret
            else:
                return events, facts
        raise NotStored(
            f"another writer kept changing this subject ({_ATTEMPTS} attempts); the words are stored and stay in view, "
            "try again with the same text"
        )

    async def _confirm(self, episode: Episode, events: Sequence[FactEvent]) -> None:
        """Reads back what was written, so that "stored" is never said of anything else (Z18)."""
        if not events:
            return
        stored = {event.hash for event in await self._store.recorded_from(episode.space, episode.id)}
        if not {event.hash for event in events} <= stored:
            raise NotStored("what was written could not be read back; try again with the same text")

    async def _already(self, episode: Episode, subject: Entity) -> Remembered:
        """The result of an utterance that was read before: the same facts, as they stand now."""
        earlier = await self._store.recorded_from(episode.space, episode.id)
        chain = await self._store.chain(subject.uid, sorted({event.fact_id for event in earlier}))
        facts = fold_all(chain.events, scale=self._schema.severity.grades)
        results = [_duplicate(fact) for fact in facts]
        quarantined = [Result(verdict="quarantined", reason=_FOR_A_PERSON, text=text) for text in episode.review]
        return Remembered(
            subject=subject,
            episode_id=episode.id,
            results=(*results, *quarantined),
            conflicts=tuple(fact for fact in facts if fact.contradicted),
            pending=int(episode.status in OPEN),
            watermark=chain.head.seq,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """What one model made of an utterance."""

    taken: RouteTaken
    reading: Extraction = field(default_factory=Extraction)


async def _answer(model: RemoteExtractor, utterance: Utterance) -> _Answer:
    try:
        reading = await model.extract(utterance)
    except ModelError as error:
        logger.warning("Model read nothing", extra={"action": "model_failed", "error": type(error).__name__})
        answered = isinstance(error, BadReply)
        taken = RouteTaken(route=Route.MODEL, extractor=model.name, failed=str(error), answered=answered)
        return _Answer(taken=taken)
    except Exception as error:  # a boundary: whatever an answer does to its reader, the offline result stands
        logger.exception("Model route failed", extra={"action": "model_failed"})
        why = f"the model's answer could not be read ({type(error).__name__}); report it"
        return _Answer(taken=RouteTaken(route=Route.MODEL, extractor=model.name, failed=why))
    return _Answer(taken=RouteTaken(route=Route.MODEL, extractor=model.name), reading=reading)


def _check_same(said: Statement, stored: Episode) -> None:
    """Passes an utterance whose key was given with the same words before: other words under it would be lost.

    Raises:
        KeyUsed: with other words, or the same from somebody whose words count otherwise.
    """
    if said.key and (stored.text, stored.role) != (said.text, said.role):
        raise KeyUsed(said.key)


_FOR_A_PERSON = "may hold something that matters and was not understood; it stays in view, a person decides"
_LATER = "could not be read now; the words stay in view and are tried again at the next start"


_TOO_LONG = "took too long to read; the words are kept and stay in view, a person decides"
_BROKE_OFF = "no reading of it ended; the words are kept and stay in view, a person decides"


def _left(episode: Episode, reason: str) -> _Understood:
    """All of the words for a person to look at, as nothing was made of them."""
    whole = ReviewItem(text=episode.text, span=Span(start=0, end=len(episode.text)), reason=reason)
    return _Understood(review=(whole,))


def _proposal(claim: Claim) -> Proposal:
    return Proposal(
        relation=claim.relation,
        object=claim.object,
        status=claim.status,
        attrs=claim.attrs,
        evidence=claim.evidence,
        route=Route.CLIENT,
        extractor="client/1",
    )


def _unread(utterance: Utterance, proposal: Proposal, rejection: Rejection) -> ReviewItem:
    span = proposal.span or Span(start=0, end=len(utterance.text))
    return ReviewItem(text=utterance.text[span.start : span.end], span=span, reason=rejection.reason)


def _results(understood: _Understood, facts: Sequence[Fact], *, new: Collection[str]) -> tuple[Result, ...]:
    """Facts first, then what a person must look at, then what was refused; facts that are not `new` are duplicates."""
    by_id = {fact.fact_id: fact for fact in facts}
    stored = [
        _stored(seen, by_id[seen.fact_id]) if seen.fact_id in new else _duplicate(by_id[seen.fact_id])
        for seen in understood.observations
    ]
    quarantined = [
        Result(verdict="quarantined", reason=item.reason or _FOR_A_PERSON, text=item.text) for item in understood.review
    ]
    rejected = [
        Result(verdict="rejected", reason=item.reason, relation=item.relation, object=item.object)
        for item in understood.rejections
    ]
    later = [Result(verdict="quarantined", reason=_LATER)] if understood.failed else []
    return (*stored, *quarantined, *rejected, *later)


def _duplicate(fact: Fact) -> Result:
    return Result(verdict="duplicate", reason="was stored before", fact=fact)


def _stored(seen: Observation, fact: Fact) -> Result:
    kept = seen.status not in RISK and fact.status in RISK
    reason = "the earlier statement of the risk stays in view beside it" if kept else ""
    return Result(verdict="stored", reason=reason, fact=fact, relation=fact.relation, object=fact.object.name)


def _dry(understood: _Understood, episode: Episode, subject: Entity) -> Remembered:
    facts = _would_be(understood, episode)
    return Remembered(
        subject=subject,
        episode_id=episode.id,
        results=_results(understood, facts, new={fact.fact_id for fact in facts}),
        conflicts=(),
        pending=int(understood.status in OPEN),
        watermark=0,
        dry_run=True,
        routes=understood.routes,
    )


def _would_be(understood: _Understood, episode: Episode) -> tuple[Fact, ...]:
    """The facts as if nothing had been said before; nothing is read or written."""
    events = observed(
        understood.observations, episode=episode, head=ChainHead(), now=episode.recorded_at, schema_version=""
    )
    return fold_all(events)
