"""The use cases of the memory, composed from protocols: what every surface (tools, command line, Python) calls.

It decides nothing itself: writing is `record/`, reading is `recall/`, identity is `subjects.py`, wholeness is
`integrity.py`.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from r_memory.conversation.conversations import Conversations
from r_memory.conversation.tokens import count
from r_memory.documents.ingesting import Ingestion
from r_memory.documents.reading.values import Reading
from r_memory.documents.summarising import Plan
from r_memory.documents.values import Progress
from r_memory.domain.blocks import Recall, Receipt
from r_memory.domain.changes import Change, Decision, check_allowed, check_authority, is_done, requested, term_of
from r_memory.domain.drafts import Checked
from r_memory.domain.events import OPEN, Episode, EpisodeStatus, FactEvent, Role
from r_memory.domain.facts import Entity, Fact, Route
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant
from r_memory.domain.intents import IntentTable, Opened
from r_memory.domain.knowledge import Knowledge
from r_memory.domain.reviews import Review, Waiting, in_order, waiting_fact, waiting_words
from r_memory.domain.schema import Schema
from r_memory.domain.turns import Finished, Part, Prepared
from r_memory.errors import ConfigurationError, InvalidInput, RMemoryError, StoreError, UnknownName
from r_memory.integrity import Verification, rebuild, verify
from r_memory.listing import FactList, FactPage
from r_memory.protocols import Audit, Auditor, Neighbourhood, Store, StoreHealth, Table
from r_memory.recall.drafts import Drafts
from r_memory.recall.lines import Lines
from r_memory.recall.recaller import Recaller
from r_memory.record.changes import Changed, Changes
from r_memory.record.recorder import Recorder, Said
from r_memory.record.results import Claim, Remembered
from r_memory.record.transcripts import Form, Heard, before, checked, keys, transcript_id, utterances
from r_memory.record.utterances import checked_text
from r_memory.stream.stream import Stream
from r_memory.subjects import Subjects
from r_memory.turns import Turn, parts_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Sizes that calls are held to."""

    text: int = 8_000
    """Characters of an utterance or a query."""
    draft: int = 20_000
    """Characters of a draft to be checked."""
    page: int = 50
    """Facts in one page of a list."""
    claims: int = 50
    """Triples in one call."""
    conversation_s: float = 30.0
    """Seconds after which a context goes out without its conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What this installation knows how to remember, and how it is."""

    space: str
    single_subject: bool
    schema: Schema
    table: IntentTable
    knowledge: Knowledge
    limits: Limits
    audits: tuple[str, ...]
    health: StoreHealth | None
    """`None` when the store does not answer."""
    trouble: str = ""
    """Why it does not."""


class Memory:
    """One space of one installation; made by `open_memory`."""

    def __init__(
        self,
        *,
        space: str,
        store: Store,
        auditor: Auditor | None,
        audits: Mapping[str, Audit],
        subjects: Subjects,
        recorder: Recorder,
        recaller: Recaller,
        drafts: Drafts,
        changes: Changes,
        schema: Schema,
        table: IntentTable,
        knowledge: Knowledge,
        retired: Sequence[str] = (),
        single_subject: bool = False,
        limits: Limits | None = None,
        elsewhere: "Callable[[str], Memory] | None" = None,
        stream: Stream | None = None,
        conversations: Conversations | None = None,
        documents: Ingestion | None = None,
    ) -> None:
        """`retired` names relations of earlier schemas, whose facts are listed all the same.

        `elsewhere` gives the memory of another space on the same store; `None` where there is one space only.
        """
        self.schema = schema
        self.limits = limits or Limits()
        self._space = space
        self._store = store
        self._auditor = auditor
        self._audits = audits
        self._subjects = subjects
        self._recorder = recorder
        self._recaller = recaller
        self._drafts = drafts
        self._changes = changes
        self._lines = Lines(schema)
        self._table = table
        self._knowledge = knowledge
        self._retired = tuple(retired)
        self._listing = FactList(store=store, schema=schema, retired=retired, page=self.limits.page)
        self._single_subject = single_subject
        self._elsewhere = elsewhere
        self._stream = stream
        self._conversations = conversations
        self._documents = documents

    @property
    def stream(self) -> Stream:
        """The conversational memory of this space; facts never depend on it.

        Raises:
            ConfigurationError: this memory was put together without one.
        """
        if self._stream is None:
            raise ConfigurationError("this memory keeps no conversations; open it with open_memory")
        return self._stream

    @property
    def conversations(self) -> Conversations:
        """The conversations of this space, with their summaries and decisions; facts never depend on them.

        Raises:
            ConfigurationError: as in `stream`.
        """
        if self._conversations is None:
            raise ConfigurationError("this memory keeps no conversations; open it with open_memory")
        return self._conversations

    @property
    def documents(self) -> Ingestion:
        """The documents of this space, with their parts and summaries.

        Raises:
            ConfigurationError: as in `stream`.
        """
        if self._documents is None:
            raise ConfigurationError("this memory keeps no documents; open it with open_memory")
        return self._documents

    def in_space(self, space: str) -> "Memory":
        """The memory of one space of this installation, which shares nothing with others but store and language.

        Raises:
            InvalidInput: this memory serves one space only, and it is another.
        """
        if space == self._space:
            return self
        if self._elsewhere is None:
            raise InvalidInput("this memory serves one space only; use a token of that space")
        return self._elsewhere(space)

    async def remember(
        self,
        text: str,
        *,
        subject: str = "",
        subject_name: str = "",
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
        claims: Sequence[Claim] = (),
    ) -> Remembered:
        """Stores an utterance and the facts it states, and says what became of each.

        `subject_name` declares a new subject under the id `subject`. `claims` are triples that the caller read in the
        text. The same `idempotency_key` (or, without one, the same words by one speaker on a day) stores nothing twice.

        Raises:
            InvalidInput: with its subclasses for a subject that is missing, unknown, ambiguous or named otherwise.
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored, their facts are not yet.
        """
        checked_text(text, limit=self.limits.text)
        if len(claims) > self.limits.claims:
            raise InvalidInput(
                f"{len(claims)} facts were given, at most {self.limits.claims} are taken; split the call"
            )
        about = await (
            self._subjects.resolve(subject) if dry_run else self._subjects.resolve_or_declare(subject, subject_name)
        )
        said = Said(
            text=text,
            subject=about,
            role=role,
            speaker=speaker,
            conversation=conversation_id,
            key=idempotency_key,
            said_at=said_at,
            claims=tuple(claims),
        )
        return await self._recorder.remember(said, dry_run=dry_run)

    async def remember_transcript(
        self,
        text: str,
        *,
        subject: str = "",
        subject_name: str = "",
        form: Form = "dialogue",
        role: Role = "user",
        speaker: str = "",
        conversation_id: str = "",
        said_at: Instant | None = None,
        idempotency_key: str = "",
        dry_run: bool = False,
    ) -> AsyncIterator[Heard]:
        """Stores a text of any length, utterance by utterance, and gives what came of each as soon as it is known.

        Turns longer than `limits.text` are cut between sentences; each result says where in the text it stands. The
        turns before come from the text. A text that broke off is gone on with by the same call: what was stored is
        stored once. All of it is checked before the first word is stored.

        Raises:
            InvalidInput: with its subclasses for the subject; names the line of what cannot be stored.
            StoreUnavailable: this utterance and those after it were not stored.
            NotStored: the words of this one are stored, what they say is not yet.
        """
        size = self.limits.text
        spoken = checked(utterances(text, form=form, speaker=speaker, role=role, size=size), limit=size)
        about = await (
            self._subjects.resolve(subject) if dry_run else self._subjects.resolve_or_declare(subject, subject_name)
        )
        keys_ = keys(spoken, text=text, key=idempotency_key, form=form)
        told = [
            Said(
                text=said.text,
                subject=about,
                role=said.role,
                speaker=said.speaker,
                conversation=conversation_id or transcript_id(text, form),
                key=key,
                said_at=said_at,
                # The first may continue a conversation, and lines stand for themselves.
                before=before(spoken, place, turns=self._recorder.context_turns) if place and form != "lines" else None,
            )
            for place, (said, key) in enumerate(zip(spoken, keys_, strict=True))
        ]
        async with aclosing(self._recorder.remember_all(told, dry_run=dry_run)) as outcomes:
            for said in spoken:
                yield Heard(spoken=said, remembered=await anext(outcomes))

    async def ingest(
        self,
        name: str,
        reading: Reading,
        *,
        subject: str = "",
        subject_name: str = "",
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
    ) -> AsyncIterator[Progress]:
        """Reads a document: its parts, the facts in them, its summaries; reports after each step (see `Ingestion`).

        Without a subject in an installation of many, no facts are looked for.

        Raises:
            InvalidInput: with its subclasses for the subject; the document cannot be read.
            StoreUnavailable, NotStored: what was reported is stored; the same call goes on from there.
        """
        named = subject or subject_name or self._single_subject
        about = await self._subjects.resolve_or_declare(subject, subject_name) if named else None
        reports = self.documents.ingest(name, reading, about=about, plan=plan, start_part=start_part, limit_s=limit_s)
        async with aclosing(reports):
            async for report in reports:
                yield report

    async def build_context(
        self,
        query: str,
        *,
        subject: str = "",
        intents: Sequence[str] = (),
        shown_to: str = "",
        max_chars: int | None = None,
    ) -> Recall:
        """Every fact that bears on a request, with one of four outcomes for each edge type; never empty by failure.

        `intents` opens these action types beside those recognised. `max_chars` cuts lines below the critical ones only.

        Raises:
            InvalidInput: with its subclasses for the subject; `UnknownName` for an action type.
            StoreUnavailable: the subject could not even be looked up.
        """
        checked_text(query, limit=self.limits.text)
        for name in intents:
            self._table.intent(name)
        about = await self._subjects.resolve(subject)
        return await self._recaller.recall(
            query, about, named_intents=tuple(intents), shown_to=shown_to, max_chars=max_chars
        )

    async def build_turn(
        self,
        query: str,
        *,
        subject: str = "",
        conversation_id: str = "",
        intents: Sequence[str] = (),
        sections: Sequence[str] | None = None,
        profile: str = "",
        max_tokens: int | None = None,
        scene: str = "",
        shown_to: str = "",
        max_chars: int | None = None,
    ) -> Turn:
        """Everything that stands in front of a question: the safety block, first and whole, then the conversation's.

        `sections` are the conversational ones wanted (`scene`, `summary`, `memory`, `previous`); `None` is all.
        `max_tokens` bounds the whole context; the block and the question are never cut for it. Without a
        `conversation_id` this is `build_context`. The question is stored nowhere; see `finish_turn`.

        Raises:
            InvalidInput, StoreUnavailable: as for `build_context`; `UnknownName` for a section or profile.
        """
        parts = parts_of(None if sections is None else tuple(sections))
        if conversation_id:
            self.conversations.policy(profile)
        recall = await self.build_context(
            query, subject=subject, intents=intents, shown_to=shown_to, max_chars=max_chars
        )
        turn = Turn(recall=recall)
        if not conversation_id:
            return turn
        room = None if max_tokens is None else max(1, max_tokens - count(turn.text))
        work = self._prepared(recall, conversation_id, parts, profile, room, scene)
        try:
            prepared = await asyncio.wait_for(work, timeout=self.limits.conversation_s)
        except TimeoutError:
            return replace(turn, trouble=f"it took more than {self.limits.conversation_s:g} s; call again")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong beside it, the safety block goes out
            logger.warning("Conversation missing", extra={"action": "build_turn", "error": type(error).__name__})
            return replace(turn, trouble=str(error) if isinstance(error, RMemoryError) else type(error).__name__)
        return replace(turn, prepared=prepared)

    async def _prepared(
        self,
        recall: Recall,
        conversation_id: str,
        parts: Sequence[Part] | None,
        profile: str,
        room: int | None,
        scene: str,
    ) -> Prepared:
        return await self.conversations.prepare(
            recall.query,
            conversation_id,
            subject_uid=recall.subject.uid,
            profile=profile,
            parts=parts,
            max_tokens=room,
            scene=scene,
        )

    async def finish_turn(
        self,
        text: str,
        reply: str,
        *,
        subject: str = "",
        conversation_id: str,
        speaker: str = "",
        responder: str = "",
        key: str = "",
    ) -> Finished:
        """Stores a turn that was answered, durable on return; facts come from `remember`, never from here.

        Raises:
            InvalidInput: with its subclasses for the subject; no conversation, question or answer.
            StoreUnavailable: nothing was stored.
        """
        about = await self._subjects.resolve(subject)
        return await self.conversations.finish(
            text,
            reply,
            conversation_id,
            subject_uid=about.uid,
            speaker=speaker or about.name,
            responder=responder,
            key=key,
        )

    @property
    def action_types(self) -> tuple[str, ...]:
        """Names of all rows of the table."""
        return tuple(self._table.intents)

    async def check_text(self, text: str, *, subject: str = "", shown_to: str = "") -> Checked:
        """What a draft names that a recorded fact stands against; never says that a draft is safe.

        Raises:
            InvalidInput: with its subclasses for the subject.
            StoreUnavailable: the subject could not even be looked up.
        """
        checked_text(text, limit=self.limits.draft)
        return await self._drafts.check(text, await self._subjects.resolve(subject), shown_to=shown_to)

    def asks(self, text: str) -> bool:
        """Whether the words ask for something that facts may bear on, so that a statement needs a recall as well."""
        return self._recaller.asks(text)

    def recognise(self, text: str) -> tuple[str, ...]:
        """The action types that the words ask for, best first; empty for a plain statement or small talk."""
        return self._recaller.recognise(text)

    def opens(self, text: str) -> Opened:
        """The rows of the table and the edges that `build_context` would read for these words; nothing is read."""
        return self._recaller.opens(text)

    async def list_facts(
        self,
        *,
        subject: str = "",
        relations: Sequence[str] = (),
        statuses: Sequence[str] = (),
        as_of: Instant | None = None,
        limit: int | None = None,
        cursor: str = "",
    ) -> FactPage:
        """Everything recorded about a subject, complete and unranked, now or as it was known at an instant.

        Without `relations` all of them; without `statuses` all but `entered_in_error`.

        Raises:
            UnknownName: a relation or status that does not exist.
            InvalidInput: a bad cursor or limit; its subclasses for the subject.
        """
        return await self._listing.page(
            await self._subjects.resolve(subject),
            relations=relations,
            statuses=statuses,
            as_of=as_of,
            limit=limit,
            cursor=cursor,
        )

    async def every_fact(self, *, subject: str = "") -> FactPage:
        """Everything that `list_facts` would list now, on one page: for searching it by words.

        Raises:
            InvalidInput: its subclasses for the subject.
        """
        return await self._listing.whole(await self._subjects.resolve(subject))

    async def history(self, fact_id: str) -> tuple[FactEvent, ...]:
        """Every event of one fact, oldest first; the id may be shortened to eight characters.

        Raises:
            InvalidInput: no fact of this space has the id.
        """
        events = await self._store.history(self._space, fact_id)
        if not events:
            raise InvalidInput(f"no fact has the id '{fact_id[:36]}'; use one of `facts` or of a block")
        return events

    async def receipts(self, *, subject: str = "", limit: int = 50) -> tuple[Receipt, ...]:
        """What was shown about a subject, newest first."""
        about = await self._subjects.resolve(subject)
        return await self._store.receipts(self._space, about.uid, limit=limit)

    async def find_subject(self, subject: str = "") -> Entity:
        """Whom a call means.

        Raises:
            InvalidInput: its subclasses for the subject.
        """
        return await self._subjects.resolve(subject)

    async def subjects(self) -> tuple[Entity, ...]:
        """Every subject of the space."""
        return await self._subjects.all()

    async def describe(self) -> Description:
        """What can be remembered and asked here; answers even when the store does not."""
        health, trouble = None, ""
        try:
            health = await self._store.health()
        except StoreError as error:
            trouble = str(error)
        return Description(
            space=self._space,
            single_subject=self._single_subject,
            schema=self.schema,
            table=self._table,
            knowledge=self._knowledge,
            limits=self.limits,
            audits=tuple(sorted(self._audits)),
            health=health,
            trouble=trouble,
        )

    def audits(self) -> Mapping[str, Audit]:
        """The audits that can be run, by name."""
        return self._audits

    async def audit(self, name: str, *, limit: int = 200) -> Table:
        """Rows of a shipped (or own) audit, of this space only.

        Raises:
            UnknownName: no such audit; the known ones are listed.
            InvalidInput: the store has no query language.
        """
        if name not in self._audits:
            raise UnknownName("audit", name, sorted(self._audits))
        if self._auditor is None:
            raise InvalidInput("this store runs no Cypher; use the embedded store or Neo4j for audits")
        return await self._auditor.read(self._audits[name].text, space=self._space, limit=limit)

    async def verify(self, *, subject: str = "") -> Verification:
        """Recomputes the chains and states of one subject, or of all."""
        return await verify(self._store, self.schema, await self._chosen(subject))

    async def rebuild(self, *, subject: str = "") -> int:
        """Recreates the state layer of one subject, or of all, from the ledger; gives the number of facts."""
        return await rebuild(self._store, self.schema, await self._chosen(subject))

    async def find_fact(self, fact_id: str) -> tuple[Entity, Fact]:
        """Whom a fact is about, and the fact as it stands; the id may be shortened to eight characters.

        Raises:
            InvalidInput: no fact of this space has the id.
        """
        events = await self.history(fact_id)
        [fact] = fold_all(events, scale=self.schema.severity.grades)
        return await self._subjects.of_uid(fact.subject_uid), fact

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
        subject, fact = await self.find_fact(fact_id)
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
        events = await self.history(decided.fact_id)
        if is_done(decided, events):
            return False
        check_allowed(decided, events)
        return True

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
        subject, fact = await self.find_fact(decided.fact_id)
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
        subject, _ = await self.find_fact(decided.fact_id)
        return await self._changes.request(decided, subject)

    async def review(self, *, subject: str = "") -> Review:
        """Everything that waits for a person, of one subject or of all: words, requested changes, facts in doubt."""
        items: list[Waiting] = []
        failed: dict[str, str] = {}
        for about in await self._chosen(subject):
            found = await self._store.neighbourhood(about, (*self.schema.relations, *self._retired))
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
        return await self.change_fact(
            asked.fact_id,
            asked.change,
            reason=reason or asked.reason,
            actor=actor,
            version=asked.version,
            to=asked.to,
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

    async def resume(self, *, again_only: bool = False, limit: int = 1000) -> int:
        """Reads what a crash left unread, and what a model could not read; gives how many statements are read now.

        With `again_only` the latter alone: in a running process the former may be in somebody's hands.
        """
        waiting = [
            episode
            for episode in await self._store.open_episodes(self._space, limit=limit)
            if not (again_only and episode.status is EpisodeStatus.PENDING)
        ]
        if not waiting:
            return 0
        subjects = {entity.uid: entity for entity in await self._subjects.all()}
        done = await self._recorder.resume(waiting, subjects)
        logger.info("Open episodes read", extra={"action": "resumed", "open": len(waiting), "read": done})
        return done

    async def unread(self) -> int:
        """Statements that a model is still to read, of the oldest thousand that wait for anything."""
        waiting = await self._store.open_episodes(self._space)
        return sum(episode.status is EpisodeStatus.RETRY for episode in waiting)

    async def _chosen(self, subject: str) -> tuple[Entity, ...]:
        return (await self._subjects.resolve(subject),) if subject else await self._subjects.all()

    async def _target(self, decided: Decision, subject: Entity, fact: Fact) -> Entity | None:
        """Where a change moves its fact: the other subject, or the concept; `None` for any other change."""
        if decided.change is Change.REATTRIBUTE:
            other = await self._subjects.resolve(decided.to)
            if other.uid == subject.uid:
                raise InvalidInput(f"the fact is about '{subject.id}' already; name the other {other.type}")
            return other
        if decided.change is Change.MAP_WORD:
            declared = self.schema.relations.get(fact.relation)
            return term_of(
                decided.to,
                tuple(self.schema.lexicon.terms) if declared is None else declared.objects,
                self.schema.lexicon,
            )
        return None

    def _waiting(self, about: Entity, found: Neighbourhood) -> tuple[Waiting, ...]:
        now = self._changes.now()
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
        episode = await self._store.episode(self._space, id_)
        if episode is None or episode.status not in OPEN:
            raise InvalidInput(f"nothing that waits has the id '{id_[:36]}'; use one of the review list")
        return episode, await self._subjects.of_uid(episode.subject_uid)
