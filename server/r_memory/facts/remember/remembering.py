"""Remembering: the words are stored first, then read and validated; then one transaction stores the facts.

A crash in between leaves a pending episode, which `resume` reads. `understanding.py` reads the words.
"""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import aclosing, closing
from dataclasses import replace
from functools import partial
from typing import get_args
from weakref import WeakValueDictionary

from r_memory.domain.changes import under_its_term
from r_memory.domain.events import OPEN, Chain, ChainHead, Episode, EpisodeStatus, FactEvent, Role, observed
from r_memory.domain.facts import RISK, Entity, Fact, Observation, Proposal, ReviewItem, Route, Span
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant
from r_memory.errors import (
    AlreadyDecided,
    KeyUsed,
    NotStored,
    RMemoryError,
    StoreUnavailable,
    UnknownName,
    WriteConflict,
)
from r_memory.facts.copies import Copies
from r_memory.facts.ledger import Ledger, unwritten
from r_memory.facts.limits import Limits
from r_memory.facts.recall.beside import RecordBeside
from r_memory.facts.recall.recaller import Recaller
from r_memory.facts.remember.correcting import Corrector, ended, endings
from r_memory.facts.remember.over import ReadEndings
from r_memory.facts.remember.results import Claim, Remembered, Result, RouteTaken, Verdict, together
from r_memory.facts.remember.sharing import SharedTexts, spans_of
from r_memory.facts.remember.understanding import (
    BROKE_OFF,
    RECORDED_IN,
    UNFINISHED,
    Answer,
    CallerReading,
    Understood,
    aliases_alone,
    ask_together,
    kept_elsewhere,
    left,
    notes_of,
    of_others,
    place_of,
    recorded,
    understand,
    waiting,
)
from r_memory.facts.remember.utterances import (
    Form,
    Statement,
    TextUtterance,
    UtteranceResult,
    before,
    checked,
    checked_text,
    keys,
    transcript_id,
    utterances,
)
from r_memory.facts.subjects import Subjects
from r_memory.facts.withdrawing import SaidWords, Withdrawing
from r_memory.protocols import Clock, Store, Turn
from r_memory.reading.listener import Told
from r_memory.reading.reader import Reader
from r_memory.reading.whose import Division, whose_under

logger = logging.getLogger(__name__)

_ATTEMPTS = 12
_AT_ONCE = 8
"""Maximum number of utterances of a text that a model reads at once."""
_READ = frozenset({EpisodeStatus.EXTRACTED, EpisodeStatus.NEEDS_REVIEW})
_READINGS = 2
"""Number of interrupted readings (the process ended, or the store did not answer) after which a person is asked."""
_NONSENSE = 3
"""Number of unreadable answers about an utterance after which this process stops asking the model."""


class Remembering:
    """Stores utterances and transcripts, and the facts that they state."""

    def __init__(
        self,
        *,
        store: Store,
        reader: Reader,
        clock: Clock,
        subjects: Subjects,
        limits: Limits,
        recalling: Recaller,
        copies: Copies,
    ) -> None:
        self._recalling = recalling
        self._copies = copies
        self._store = store
        self._reader = reader
        self._schema = reader.schema
        self._ledger = Ledger(store=store, grades=reader.schema.severity.grades)
        self._clock = clock
        self._began = clock.now()
        self._subjects = subjects
        self._limits = limits
        self._corrections = Corrector(store=store, reader=reader, subjects=subjects, clock=clock)
        self._endings = ReadEndings(reader.schema)
        self._withdrawing = Withdrawing(store=store, reader=reader, clock=clock)
        self._whose = whose_under(reader.schema)
        self._shared = SharedTexts(self._whose)
        self._nonsense: Counter[str] = Counter()
        self._changed: dict[str, int] = {}
        """By subject: the last change by a person that this process has seen."""
        self._one_writer: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def remember(
        self,
        text: str,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
        claims: Sequence[Claim] | None = None,
        is_request: bool = False,
    ) -> Remembered:
        """Stores an utterance and the facts that it states.

        Returns the result for each fact, and the recorded facts that conflict with the new ones.

        Args:
            subject_name: declares a new subject with the id `subject`.
            another_than: ids of all known people with this name; says that the new subject is another person.
            idempotency_key: a key stores nothing twice; without it, words are stored once a day for each speaker.
            claims: facts that the caller read in the text: `None` if it did not read it, empty if it states nothing.
            is_request: the words are a request to a model; without a fact, they wait only if they may hold a risk.

        Well-formed claims are kept even if others are rejected. A text longer than `limits.text` is read in parts, cut
        between sentences, each with those before it.

        Raises:
            InvalidInput: the text cannot be used; subclasses say what is wrong with the subject.
            KeyUsed: the key was used before with other words; nothing was stored.
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored; their facts may be.
        """
        checked_text(text, limit=self._limits.message)
        if role not in get_args(Role):
            raise UnknownName("role", str(role), get_args(Role))
        about = await self._subjects.resolve_or_declare(
            subject, subject_name, another_than=another_than, dry_run=dry_run, speaker=speaker
        )
        said = Statement(
            text=text,
            subject=about,
            role=role,
            speaker=speaker,
            conversation=conversation_id,
            key=idempotency_key,
            said_at=said_at,
            claims=None if claims is None else tuple(claims),
            is_request=is_request,
            whole=claims is None or len(claims) <= self._limits.claims,
        )
        with closing(self._recalling.beside()) as beside:
            made = await self._in_parts(said, dry_run=dry_run, beside=beside)
            standing = made.standing if dry_run else await self._recalling.not_together(about, made.facts, beside)
        return replace(made, standing=standing)

    async def _in_parts(self, said: Statement, *, dry_run: bool, beside: RecordBeside) -> Remembered:
        """Stores a statement of any length."""
        if len(said.text) <= self._limits.text:
            return await self.record(said, dry_run=dry_run, beside=beside)
        spoken = utterances(said.text, form="whole", speaker=said.speaker, role=said.role, size=self._limits.text)
        told = await self._statements(spoken, said, "whole")
        async with aclosing(self.record_all(_with_claims(told, said.claims), dry_run=dry_run)) as outcomes:
            return together([outcome async for outcome in outcomes])

    async def remember_transcript(
        self,
        text: str,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        form: Form = "dialogue",
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
    ) -> AsyncGenerator[UtteranceResult, None]:
        """Stores a text of any length, utterance by utterance; yields a result for each utterance.

        A result is yielded after the next utterance is stored. The last result carries the recorded facts that conflict
        with any of the new ones.

        Turns longer than `limits.text` are cut between sentences; each result gives its position in the text. Each
        utterance is read with the turns before it. If the text was interrupted, the same call continues it, and stores
        nothing twice. The whole text is checked before the first utterance is stored.

        Raises:
            InvalidInput: an utterance cannot be stored; the message names its line. The subclasses are about the
                subject.
            KeyUsed: the key was used before with another text; nothing was stored.
            StoreUnavailable: this utterance and all later ones were not stored.
            NotStored: the words of this utterance are stored; their facts may be.
        """
        size = self._limits.text
        spoken = checked(utterances(text, form=form, speaker=speaker, role=role, size=size), limit=size)
        about = await self._subjects.resolve_or_declare(
            subject, subject_name, another_than=another_than, dry_run=dry_run
        )
        whole = Statement(
            text=text, subject=about, conversation=conversation_id, key=idempotency_key, said_at=said_at, role=role
        )
        told = await self._statements(spoken, whole, form)
        last: UtteranceResult | None = None
        facts: list[Fact] = []
        async with aclosing(self.record_all(told, dry_run=dry_run)) as outcomes:
            for said in spoken:
                try:
                    made = await anext(outcomes)
                except RMemoryError:
                    if last is not None:
                        yield last
                    raise
                if last is not None:
                    yield last
                last = UtteranceResult(spoken=said, remembered=made)
                facts += made.facts
        if last is not None and not dry_run:
            standing = await self._recalling.not_together(about, facts)
            last = replace(last, remembered=replace(last.remembered, standing=standing))
        if last is not None:
            yield last

    async def _statements(self, spoken: Sequence[TextUtterance], whole: Statement, form: Form) -> list[Statement]:
        """The utterances of a text as statements for `record_all`."""
        told = [
            replace(
                whole,
                text=said.text,
                role=said.role,
                speaker=said.speaker,
                conversation=whole.conversation or transcript_id(whole.text, form),
                key=key,
                # The first may continue a conversation, and lines stand for themselves.
                before=before(spoken, place, turns=self._limits.context_turns) if place and form != "lines" else None,
            )
            for place, (said, key) in enumerate(
                zip(spoken, keys(spoken, text=whole.text, key=whole.key, form=form), strict=True)
            )
        ]
        try:
            for said in told if whole.key else ():
                await self._unstored(said)
        except KeyUsed as error:
            raise KeyUsed(whole.key) from error
        return told

    async def resume(self, *, again_only: bool = False, limit: int = 1000) -> int:
        """Reads statements that a crash left unread or a model could not read; returns how many were read.

        What was stored since this process began is left to the call that stored it, which may bring a reading of its
        own. `again_only` reads only those that a model could not read: in a running process the others may be in work.
        A statement whose readings were interrupted too often is left to a person: it could stop every start.

        After a model gives no answer, the statements that wait for the model alone are left. A statement for which it
        gave several unreadable answers is left until the next start.
        """
        waiting = [
            episode
            for episode in await self._store.open_episodes(self._subjects.space, limit=limit)
            if not (episode.status is EpisodeStatus.PENDING and (again_only or episode.recorded_at > self._began))
        ]
        if not waiting:
            return 0
        subjects = {entity.uid: entity for entity in await self._subjects.all()}
        done = 0
        answers = True
        for episode in waiting:
            subject = subjects.get(episode.subject_uid)
            if subject is None:
                logger.warning("Open episode without a subject", extra={"action": "resume", "episode": episode.id})
                continue
            waits_for_model = episode.status is EpisodeStatus.RETRY
            if waits_for_model and not (answers and self._nonsense[episode.id] < _NONSENSE):
                continue
            try:
                remembered = await self._resumed(episode, subject)
            except AlreadyDecided:  # by a person or by the call that stored it, since it was listed: nothing is left
                continue
            answers = all(taken.answered for taken in remembered.routes)
            done += not (remembered.pending or self._noted(episode, remembered.routes))
        logger.info("Open episodes read", extra={"action": "resumed", "open": len(waiting), "read": done})
        return done

    async def unread(self) -> int:
        """Number of statements, among the oldest thousand that wait, that a route failed to read."""
        waiting = await self._store.open_episodes(self._subjects.space)
        return sum(episode.status in {EpisodeStatus.RETRY, EpisodeStatus.FAILED} for episode in waiting)

    async def record(
        self,
        said: Statement,
        *,
        dry_run: bool = False,
        beside: RecordBeside | None = None,
        answers: Sequence[Answer] | None = None,
    ) -> Remembered:
        """Stores a statement and the facts that it states.

        With `dry_run`, stores nothing and returns what would be stored. `answers` are the answers of the models if they
        were asked already.

        Raises:
            KeyUsed: the key was used before with other words; nothing was stored.
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored; their facts may be.
        """
        if dry_run:
            said = await self._corrections.of(said)
            return await self._with_others(said, await self._dry(said), dry_run=True)
        stored, before = await self._added(said)
        _check_same(said, stored)
        # A reading may come after the words, as that of a caller whose hook stored the turn: one more voice.
        if stored.status in _READ and said.claims is None:
            return await self._already(stored, said.subject)
        try:
            before = await self._before(stored) if before is None else before
            said = await self._corrections.of(said)
            division = await self._division(stored, said.subject, said.claims)
            understood = await understand(
                stored,
                said.subject,
                self._reader,
                given=self._reading(said),
                before=before,
                doubted=said.doubted,
                standing=said.standing,
                answers=answers,
                division=division,
                aside=self._shared.aside(said),
                told_before=await self._told_before(said, stored),
            )
            understood = understood.of_request() if said.is_request else understood
            await self._keep_elsewhere(stored, division, understood, key=said.key)
            made = await self._settle(stored, said.subject, understood, beside)
            if said.claims and understood.status is EpisodeStatus.EXTRACTED:
                await self._settle_earlier(said, stored)
                await self._settle_with_the_owner(said)
            made = await self._withdrawing_from(said, made)
            self._shared.note(said, stored.id, understood.told)
            for other, episode_id in self._shared.others(said):
                await self._settle_shared(other, episode_id)
            return await self._with_others(said, made)
        except StoreUnavailable as error:
            raise NotStored(
                "the words are stored; what they say may be stored too, and otherwise waits in view as a pending "
                "statement: the same call with the same text says which, and stores nothing twice"
            ) from error

    async def _told_before(self, said: Statement, stored: Episode) -> tuple[Span, ...]:
        """Where the words state facts that stand since an earlier call with them, beside what this call states."""
        if stored.status not in _READ or not said.claims:
            return ()
        known = (await self._store.neighbourhood(said.subject, tuple(self._reader.schema.relations))).facts
        standing = [fact for fact in known if fact.status in RISK and not fact.contradicted]
        earlier = spans_of(said.text, [fact.evidence for fact in standing if fact.episode_id == stored.id])
        now = tuple(spans_of(said.text, [claim.evidence for claim in said.claims]))
        return tuple(
            span for span in earlier if not any(span.start < each.end and each.start < span.end for each in now)
        )

    async def _withdrawing_from(self, said: Statement, made: Remembered) -> Remembered:
        """Takes the words out of view that the statement wishes to forget and that no fact rests on.

        Returns the result, which names what still shows them.
        """
        left: dict[str, str] = {}
        for each in said.doubted:
            id_, words = each.withdraws
            episode = await self._store.episode(said.subject.space, id_) if id_ else None
            if episode is not None:
                found = SaidWords(episode=episode, words=words)
                reason, actor = each.item(said.text).text, said.speaker or said.role
                note = await self._withdrawing.withdraw(
                    said.subject, found, actor=actor, reason=reason, route=Route.CLIENT
                )
                left[each.reason] = (await self._copies.left_by(note)).told
        results = tuple(
            replace(result, reason="; ".join(filter(None, (result.reason, left.get(result.reason, "")))))
            for result in made.results
        )
        return replace(made, results=results) if left else made

    async def _settle_earlier(self, said: Statement, stored: Episode) -> None:
        """Settles earlier statements of the same words by the same speaker that wait: these words are read now."""
        if not (said.key or self._changed.get(said.subject.uid)):  # else the same words are the same episode
            return
        waiting = (await self._store.neighbourhood(said.subject, ())).pending
        for item in waiting:
            if item.id != stored.id and (item.text, item.role, item.speaker) == (
                stored.text,
                stored.role,
                stored.speaker,
            ):
                await self._ledger.append(
                    said.subject, (), lambda _: (), episode=self._said_again(item, stored.speaker)
                )

    async def _settle_with_the_owner(self, said: Statement) -> None:
        """Settles the same words that wait with the owner, if this call read all that waits of them for another."""
        single = self._subjects.single
        if not single or self._subjects.is_owner(said.subject):
            return
        owner = await self._subjects.resolve(single)
        read = [claim.evidence for claim in said.claims or () if not claim.trouble]
        for item in (await self._store.neighbourhood(owner, ())).pending:
            same = (item.text, item.role) == (said.text, said.role) and item.speaker in {said.speaker, said.role}
            if same and item.review and all(self._is_read(words, read) for words in item.review):
                again = self._said_again(item, item.speaker)
                await self._ledger.append(owner, (), lambda _: (), episode=again)

    def _is_read(self, words: str, read: Sequence[str]) -> bool:
        """Whether nothing that matters is left of waiting words beside what was read in them."""
        left = words
        for evidence in read:
            left = "" if left in evidence else left.replace(evidence, " ")
        return left != words and not self._reader.named(left).mentions

    def _said_again(self, waiting: Episode, speaker: str) -> Episode:
        return replace(
            waiting,
            status=EpisodeStatus.EXTRACTED,
            review=(),
            disputed=(),
            settled_by=speaker,
            settled_because=_SAID_AGAIN,
            settled_at=self._clock.now(),
        )

    async def _settle_shared(self, said: Statement, episode_id: str) -> None:
        """Settles what an earlier call about somebody else left of its words, as far as later calls took it.

        Nothing is stored or ended.
        """
        episode = await self._store.episode(said.subject.space, episode_id)
        if episode is None or episode.status is not EpisodeStatus.NEEDS_REVIEW:
            return
        if not (aside := self._shared.aside(said)):
            return
        understood = await understand(
            episode,
            said.subject,
            self._reader,
            given=self._reading(said),
            before=await self._before(episode),
            doubted=said.doubted,
            standing=said.standing,
            division=await self._division(episode, said.subject, said.claims),
            aside=aside,
        )
        if not understood.failed:
            understood = understood.of_request() if said.is_request else understood
            if any(claim.corrects for claim in said.claims or ()):  # its facts have changed since
                understood = _as_left(episode, understood)
            await self._ledger.append(said.subject, (), lambda _: (), episode=_settled(episode, understood))

    async def _with_others(self, said: Statement, made: Remembered, *, dry_run: bool = False) -> Remembered:
        """The result, with the effects of the words on the records of other people."""
        others = [await self.record(other, dry_run=dry_run) for other in await self._corrections.elsewhere(said)]
        return replace(made, results=(*made.results, *(item for other in others for item in _of_another(other))))

    async def record_entry(
        self, said: Statement, proposals: Sequence[Proposal], *, dry_run: bool = False
    ) -> Remembered:
        """Stores an entry of a record and the facts of its fields; its words are not read. Raises as `record`.

        With `dry_run`, stores nothing and returns what would be stored.
        """
        if dry_run:
            episode = await self._unstored(said)
            understood = recorded(episode, said.subject, self._reader, proposals)
            events = observed(
                understood.observations, episode=episode, head=ChainHead(), now=episode.recorded_at, schema_version=""
            )
            made = _remembered(said.subject, episode, understood, fold_all(events), events, self._schema.critical)
            return replace(made, watermark=0, dry_run=True)
        stored, _ = await self._added(said)
        _check_same(said, stored)
        if stored.status in _READ:
            already = await self._already(stored, said.subject)
            if already.facts or stored.status is EpisodeStatus.EXTRACTED:
                return already
        return await self._settle(stored, said.subject, recorded(stored, said.subject, self._reader, proposals))

    async def record_entries(self, told: Sequence[tuple[Statement, Sequence[Proposal]]]) -> Sequence[Remembered]:
        """Stores entries of a record about one subject, as `record_entry` does.

        They are stored in one transaction if none was stored before.

        Raises:
            KeyUsed: an entry was given before with other words; the entries before it are stored.
            StoreUnavailable, NotStored: none or some of them are stored; repeat the call to continue.
        """
        if made := await self._recorded_together(told):
            return made
        return [await self.record_entry(said, proposals) for said, proposals in told]

    async def _recorded_together(self, told: Sequence[tuple[Statement, Sequence[Proposal]]]) -> Sequence[Remembered]:
        """The results of entries that were stored in one transaction; empty if each must be stored by itself."""
        if len(told) < 2 or not all(said.key for said, _ in told):
            return ()
        subject, now = told[0][0].subject, self._clock.now()
        read: list[tuple[Episode, Understood]] = []
        for said, proposals in told:
            episode = said.episode(now=now, changed_seq=0)
            read.append((episode, recorded(episode, subject, self._reader, proposals)))
        settled = tuple(_settled(episode, understood) for episode, understood in read)
        if len({episode.id for episode in settled}) < len(settled):
            return ()
        ids = list(dict.fromkeys(seen.fact_id for _, understood in read for seen in understood.observations))
        async with self._one_writer.setdefault(subject.uid, asyncio.Lock()):
            chain = await self._ledger.chain(subject, ids) if ids else await self._store.chain(subject.uid, ())
            if any(_under_terms(item.observations, chain) != item.observations for _, item in read):
                return ()

            def events(chain: Chain) -> tuple[FactEvent, ...]:
                made, head = list[FactEvent](), chain.head
                for episode, (_, understood) in zip(settled, read, strict=True):
                    some = unwritten(
                        understood.observations,
                        replace(chain, head=head),
                        episode=episode,
                        now=self._clock.now(),
                        schema_version=self._schema.version,
                    )
                    head = head.after(some, earlier=[*chain.events, *made])
                    made += some
                return tuple(made)

            try:
                written = await self._ledger.append(subject, ids, events, episode=None, chain=chain, entries=settled)
            except WriteConflict:
                return ()
        facts = {fact.fact_id: fact for fact in written.facts}
        events_of = defaultdict[str, list[FactEvent]](list)
        for event in written.events:
            events_of[event.episode_id].append(event)
        return [
            _remembered(
                subject,
                episode,
                understood,
                [facts[id_] for id_ in dict.fromkeys(seen.fact_id for seen in understood.observations) if id_ in facts],
                events_of[episode.id],
                self._schema.critical,
            )
            for episode, understood in read
        ]

    def _reading(self, said: Statement) -> CallerReading | None:
        """The caller's reading, up to the limit of claims; `None` if the caller did not read the words."""
        if said.claims is None:
            return None
        most = self._limits.claims
        return CallerReading(
            claims=said.claims[:most], beyond=said.claims[most:], whole=said.whole and len(said.claims) < most
        )

    async def _dry(self, said: Statement) -> Remembered:
        """What would be stored if nothing had been said before; writes nothing."""
        episode = await self._unstored(said)
        before = await self._before(episode) if said.before is None else said.before
        understood = await understand(
            episode,
            said.subject,
            self._reader,
            given=self._reading(said),
            before=before,
            doubted=said.doubted,
            standing=said.standing,
            division=await self._division(episode, said.subject, said.claims),
        )
        understood = understood.of_request() if said.is_request else understood
        events = observed(
            understood.observations, episode=episode, head=ChainHead(), now=episode.recorded_at, schema_version=""
        )
        made = _remembered(said.subject, episode, understood, fold_all(events), events, self._schema.critical)
        return replace(made, conflicts=(), watermark=0, dry_run=True)

    async def record_all(self, told: Sequence[Statement], *, dry_run: bool = False) -> AsyncGenerator[Remembered]:
        """Yields one result for each utterance, in their order; a few are read at a time if a model is asked.

        Raises:
            StoreUnavailable: this utterance and all later ones were not stored.
            NotStored: the words of this utterance are stored; their facts may be.
        """
        at_once = _AT_ONCE if self._reader.models else 1
        for first in range(0, len(told), at_once):
            some = told[first : first + at_once]
            answers: Sequence[Sequence[Answer] | None] = [None] * len(some)
            if len(some) > 1 and not dry_run:
                answers = await self._asked_together(some)
            for outcome in await asyncio.gather(
                *(
                    self.record(said, dry_run=dry_run, answers=answer)
                    for said, answer in zip(some, answers, strict=True)
                ),
                return_exceptions=True,
            ):
                if isinstance(outcome, BaseException):
                    raise outcome
                yield outcome

    async def _asked_together(self, some: Sequence[Statement]) -> Sequence[Sequence[Answer] | None]:
        """The models' answers about utterances of one text, whose words are stored in the order in which they were
        said; `None` for utterances that were read before.
        """
        stored = [(await self._added(said))[0] for said in some]
        waiting = [at for at, episode in enumerate(stored) if episode.status not in _READ]
        told = []
        for at in waiting:
            before = some[at].before
            told.append((stored[at], some[at].subject, await self._before(stored[at]) if before is None else before))
        answers: list[Sequence[Answer] | None] = [None] * len(some)
        for at, answer in zip(waiting, await ask_together(told, self._reader), strict=True):
            answers[at] = answer
        return answers

    async def _resumed(self, episode: Episode, subject: Entity) -> Remembered:
        """The result of reading an episode again; the reading of a pending one is counted before it begins."""
        if episode.conversation.startswith(RECORDED_IN):
            return await self._settle(episode, subject, left(episode, UNFINISHED))
        if episode.status is EpisodeStatus.PENDING:
            if episode.attempts >= _READINGS:
                logger.warning("Episode left to a person", extra={"action": "resume_left", "episode": episode.id})
                return await self._settle(episode, subject, left(episode, BROKE_OFF))
            episode = await self._store.begin_reading(episode)
        before, division = await self._before(episode), await self._division(episode, subject, None)
        said = await self._corrections.of(
            Statement(
                text=episode.text,
                subject=subject,
                role=episode.role,
                speaker=episode.speaker,
                said_at=episode.said_at,
            )
        )
        understood = await understand(
            episode, subject, self._reader, before=before, doubted=said.doubted, division=division
        )
        await self._keep_elsewhere(episode, division, understood)
        return await self._settle(episode, subject, understood)

    async def _division(self, episode: Episode, subject: Entity, claims: Sequence[Claim] | None) -> Division:
        """Which parts of the words are about other people than the subject."""
        words = self._whose.may_name(episode.text, subject)
        company = await self._subjects.company(subject, words, speaker=episode.speaker, role=episode.role)
        others = of_others(self._schema) | (notes_of(self._schema) if company.owner else frozenset())
        claimed = [
            place_of(episode.text, claim)
            for claim in claims or ()
            if not claim.trouble and claim.relation not in others and claim.status in RISK
        ]
        divided = partial(self._whose.divided, speaker=episode.speaker, claimed=claimed)
        return await self._reader.aside(len(episode.text), divided, episode.text, subject, company)

    async def _keep_elsewhere(
        self, episode: Episode, division: Division, understood: Understood, *, key: str = ""
    ) -> None:
        """Stores the words also with the other people they are about: risky parts wait there, and aliases
        are learned.
        """
        people = {entity.uid: entity for entity in division.introduced}
        parts: defaultdict[str, list[ReviewItem]] = defaultdict(list)
        for where in understood.elsewhere:
            if len(where.people) == 1:
                [other] = where.people
                people[other.uid] = other
                parts[other.uid].append(waiting(episode.text, where))
        for other in people.values():
            said = Statement(
                text=episode.text,
                subject=other,
                role=episode.role,
                speaker=episode.speaker,
                conversation=episode.conversation,
                key=key,
                said_at=episode.said_at,
                before=(),
            )
            stored, _ = await self._added(said)
            if stored.status not in _READ:
                whose = await self._division(stored, other, None)
                made = aliases_alone(stored, other, self._reader, whose)
                await self._settle(stored, other, replace(made, review=tuple(parts[other.uid])))

    def _noted(self, episode: Episode, routes: Iterable[RouteTaken]) -> bool:
        """Whether a model failed; also counts its unreadable answers."""
        failed = [taken for taken in routes if taken.failed]
        self._nonsense[episode.id] += any(taken.answered for taken in failed)
        return bool(failed)

    async def _added(self, said: Statement) -> tuple[Episode, tuple[Turn, ...] | None]:
        """The stored episode, and the turns before it; `None` in their place if the episode was stored earlier."""
        uid = said.subject.uid
        turns = self._limits.context_turns if said.conversation and said.before is None else 0
        for _ in range(_ATTEMPTS):
            # Nearly always right, and the store says where it is not: a question less for each statement.
            changed_seq = self._changed.get(uid, 0)
            episode = said.episode(now=self._clock.now(), changed_seq=changed_seq)
            try:
                # A key of the caller's decides alone.
                *earlier, stored = await self._store.add_episode(
                    episode, changed_seq=None if said.key else changed_seq, turns=turns
                )
            except StoreUnavailable as error:
                raise NotStored(
                    f"{error}; whether the words were stored is not known: keep the statement in view and try again "
                    "with the same text, which stores it once"
                ) from error
            except WriteConflict:
                self._changed[uid] = (await self._store.chain(uid, ())).head.changed_seq
            else:
                new = _turns(earlier) if stored is episode else None
                return stored, new if said.before is None else said.before
        raise NotStored("people keep changing this subject's facts; nothing was stored, try again with the same text")

    async def _unstored(self, said: Statement) -> Episode:
        """The episode of words that a dry run does not store.

        Raises:
            KeyUsed: the key was used before with other words.
        """
        changed_seq = 0 if said.key else (await self._store.chain(said.subject.uid, ())).head.changed_seq
        episode = said.episode(now=self._clock.now(), changed_seq=changed_seq)
        if (stored := await self._store.episode(episode.space, episode.id)) is not None:
            _check_same(said, stored)
        return episode

    async def _before(self, episode: Episode) -> tuple[Turn, ...]:
        """The turns before an utterance; for an utterance that was said earlier, none of the later turns.

        After another question, a "no" would be another fact.
        """
        turns = self._limits.context_turns
        if not (episode.conversation and turns):
            return ()
        told = await self._store.conversation(
            episode.space, episode.subject_uid, episode.conversation, limit=turns + 1, until=episode.id
        )
        return _turns([item for item in told if item.id != episode.id][-turns:])

    async def _settle(
        self, episode: Episode, subject: Entity, understood: Understood, beside: RecordBeside | None = None
    ) -> Remembered:
        """Writes the facts of a reading, and the status of the episode."""
        settled = _settled(episode, understood)
        async with self._one_writer.setdefault(subject.uid, asyncio.Lock()):
            seen = (*understood.observations, *understood.against)
            corrected = ended(understood.told)
            ids = [item.given.corrects.fact.fact_id for item in corrected if item.given.corrects is not None]
            if beside is not None:
                beside.begin(subject, {item.relation for item in understood.observations})
            chain = await self._ledger.chain(subject, [*(item.fact_id for item in seen), *ids])
            under = _under_terms(seen, chain)

            def events(chain: Chain) -> tuple[FactEvent, ...]:
                now, version = self._clock.now(), self._schema.version
                said = unwritten(under, chain, episode=settled, now=now, schema_version=version)
                over = (*endings(corrected, chain, said, speaker=episode.speaker, now=now, schema_version=version),)
                read = self._endings.of(under, chain, (*said, *over), episode=settled, now=now)
                return (*said, *over, *read)

            known, ids = chain if under == seen else None, [*(observation.fact_id for observation in under), *ids]
            try:
                written = await self._ledger.append(subject, ids, events, episode=settled, chain=known)
            except AlreadyDecided:  # a person was faster, and what they said of the words stays
                written = await self._ledger.append(subject, ids, events, episode=None)
            if beside is not None:
                beside.stored(written.facts, written.events)
        understood = replace(understood, observations=under)
        return _remembered(subject, episode, understood, written.facts, written.events, self._schema.critical)

    async def _already(self, episode: Episode, subject: Entity) -> Remembered:
        """The result of an utterance that was read before: the same facts as they stand now."""
        earlier = await self._store.recorded_from(episode.space, episode.id)
        chain = await self._store.chain(subject.uid, sorted({event.fact_id for event in earlier}))
        facts = fold_all(chain.events, scale=self._schema.severity.grades)
        return Remembered(
            subject=subject,
            episode_id=episode.id,
            results=(*map(_duplicate, facts), *(_waits(_FOR_A_PERSON, text) for text in episode.review)),
            conflicts=tuple(fact for fact in facts if fact.contradicted),
            pending=int(episode.status in OPEN),
            watermark=chain.head.seq,
        )


def _check_same(said: Statement, stored: Episode) -> None:
    """Checks that an utterance has the same words as the earlier one with its key: other words would be lost.

    Raises:
        KeyUsed: the words differ, or the same words are from a speaker whose words count differently.
    """
    if said.key and (stored.text, stored.role) != (said.text, said.role):
        raise KeyUsed(said.key)


def _as_left(episode: Episode, understood: Understood) -> Understood:
    """The reading with what it leaves of the words that wait already, and nothing beside them."""
    review = tuple(item for item in understood.review if any(item.text in words for words in episode.review))
    disputed = tuple(name for name in understood.disputed if name in episode.disputed)
    return replace(understood, review=review, disputed=disputed)


def _settled(episode: Episode, understood: Understood) -> Episode:
    """The episode with the status that follows from the reading."""
    return replace(
        episode,
        status=understood.status,
        language=understood.language,
        review=tuple(dict.fromkeys(item.text for item in understood.review)),
        disputed=understood.disputed,
        attempts=0,
    )


def _turns(said: Iterable[Episode]) -> tuple[Turn, ...]:
    return tuple(Turn(role=episode.role, speaker=episode.speaker, text=episode.text) for episode in said)


def _under_terms(observations: Sequence[Observation], chain: Chain) -> tuple[Observation, ...]:
    """The observations; words that a person mapped before are replaced by their terms."""
    under = (
        under_its_term(seen, [event for event in chain.events if event.fact_id == seen.fact_id])
        if seen.object.is_said
        else seen
        for seen in observations
    )
    # The term may have been named beside the word.
    return tuple({(seen.fact_id, seen.status): seen for seen in under}.values())


def _of_another(made: Remembered) -> Iterator[Result]:
    """The effects of a statement on another person's record, as results that belong to no claim of the caller."""
    whom = f"of {made.subject.name} ({made.subject.id})"
    for result in made.results:
        yield replace(result, reason="; ".join(filter(None, (whom, result.reason))), given=0)


_SAID_AGAIN = "the same words were given again, and read"
_FOR_A_PERSON = "may hold something that matters and was not understood; it stays in view, a person decides"
_LATER = "could not be read now; the words stay in view and are tried again at the next start"


def _remembered(
    subject: Entity,
    episode: Episode,
    understood: Understood,
    facts: Sequence[Fact],
    written: Sequence[FactEvent],
    critical: Collection[str],
) -> Remembered:
    """The result: facts first, then items for a person, then rejections.

    Facts without a `written` event are duplicates. `critical` are the relations whose facts are risks.
    """
    by_id, new = {fact.fact_id: fact for fact in facts}, {event.fact_id for event in written}

    def result(seen: Observation) -> Result:
        fact = by_id[seen.fact_id]
        return _stored(seen, fact, is_risk=fact.relation in critical) if seen.fact_id in new else _duplicate(fact)

    answered = [_answered(told, place, result) for place, told in enumerate(understood.told, start=1)]
    given = {told.observation.fact_id for told in understood.told if told.observation is not None}
    results = (
        *answered,
        *(result(seen) for seen in understood.observations if seen.fact_id not in given),
        *(_waits(item.reason or _FOR_A_PERSON, item.text) for item in understood.review if not item.answered),
        *(_waits(item.reason, item.text) for item in kept_elsewhere(episode.text, understood)),
        *(
            Result(verdict="rejected", reason=item.reason, relation=item.relation, object=item.object)
            for item in understood.rejections
        ),
        *([_waits(_LATER)] if understood.failed else ()),
    )
    return Remembered(
        subject=subject,
        episode_id=episode.id,
        results=results,
        conflicts=tuple(fact for fact in facts if fact.contradicted),
        pending=int(understood.status in OPEN),
        watermark=written[-1].seq if written else 0,
        routes=understood.routes,
    )


def _answered(told: Told, place: int, result: Callable[[Observation], Result]) -> Result:
    """The result of a claim, with its number in the caller's list (from 1), and the reason."""
    given = told.given
    if told.stands is not None:
        same = Result(verdict="duplicate", reason=told.reason, fact=told.stands)
        return replace(same, relation=given.relation, object=given.object, given=place)
    if told.observation is None:
        verdict: Verdict = "waits" if told.waits else "rejected"
        return Result(verdict=verdict, reason=told.reason, relation=given.relation, object=given.object, given=place)
    made = result(told.observation)
    stands = made.fact.status if made.fact is not None else given.status
    why = [told.reason, made.reason if made.verdict == "stored" and given.corrects is None else ""]
    if stands != given.status and not any(why):
        why = [f"stands as {stands}, for what was recorded before; memory_list_facts shows its history"]
    reason = "; ".join(part for part in why if part) or made.reason
    return replace(made, reason=reason, relation=given.relation, object=given.object, given=place)


def _waits(reason: str, text: str = "") -> Result:
    return Result(verdict="waits", reason=reason, text=text)


def _duplicate(fact: Fact) -> Result:
    return Result(verdict="duplicate", reason="was stored before", fact=fact)


def _stored(seen: Observation, fact: Fact, *, is_risk: bool) -> Result:
    kept = seen.status not in RISK and fact.status in RISK
    reason = f"the earlier statement{' of the risk' if is_risk else ''} stays in view beside it" if kept else ""
    return Result(verdict="stored", reason=reason, fact=fact, relation=fact.relation, object=fact.object.name)


def _with_claims(told: Sequence[Statement], claims: Sequence[Claim] | None) -> list[Statement]:
    """The statements with their claims: each claim goes to the first part that contains its evidence, or else to the
    first part, where it is rejected.
    """
    if claims is None:
        return list(told)
    of_part: dict[int, list[Claim]] = {}
    for claim in claims:
        place = next((at for at, said in enumerate(told) if claim.evidence in said.text), 0)
        of_part.setdefault(place, []).append(claim)
    # Of a text in parts only sentences that hold accepted evidence count as read.
    return [replace(said, claims=tuple(of_part.get(at, ())), whole=False) for at, said in enumerate(told)]
