"""Talk: the safety block and what stands beside it, what is kept of an answered turn, and documents.

Takes facts from `facts` and may fail; the block goes out all the same.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial

from r_memory.domain.blocks import NOTHING_CLASHES, DraftCheck, Recall, gate_record
from r_memory.domain.documents import DocumentText, Plan, Progress
from r_memory.domain.facts import Entity
from r_memory.domain.instants import UNDATED, Instant
from r_memory.domain.turns import Finished, Part, PreparedSections, TurnContext
from r_memory.domain.withdrawn import WithdrawnWords
from r_memory.errors import InvalidInput, RMemoryError, SubjectRequired, UnknownName
from r_memory.facts.facts import Facts
from r_memory.facts.recall.rendering import fitted, render
from r_memory.facts.recall.verdicts import objections
from r_memory.facts.remember.letters import check_heading, own_date
from r_memory.text.inert import without_secrets
from r_memory.text.markers import END, START
from r_memory.text.structured import check_prose
from r_memory.text.tokens import count
from r_memory_talk.conversations import Conversations
from r_memory_talk.documents.ingesting import Ingestion
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import FLAG_CUT, FLAG_NOTHING, NewTurn
from r_memory_talk.stream.words import terms

logger = logging.getLogger(__name__)
_TOGETHER = 12
"""Most subjects of one conversation whose corrections are looked up."""

USER, ASSISTANT = "user", "assistant"
"""Names of the speakers if none are given."""


def parts_of(names: Sequence[str]) -> tuple[Part, ...]:
    """Returns the sections with these names.

    Raises:
        UnknownName: there is no such section.
    """
    known = [part.value for part in Part]
    for name in names:
        if name not in known:
            raise UnknownName("section", name, known)
    return tuple(map(Part, names))


class Talk:
    """The conversational memory of one space; the facts do not depend on it."""

    def __init__(self, *, facts: Facts, stream: Stream, conversations: Conversations, documents: Ingestion) -> None:
        self._facts = facts
        self.stream = stream
        self.conversations = conversations
        self.documents = documents

    async def build_turn(
        self,
        query: str,
        *,
        subject: str | Entity = "",
        conversation_id: str = "",
        intents: Sequence[str] = (),
        about: Sequence[str] = (),
        sections: Sequence[str] | None = None,
        profile: str = "",
        max_tokens: int | None = None,
        scene: str = "",
        shown_to: str = "",
        max_chars: int | None = None,
        paged: bool = False,
        about_nobody: bool = False,
        asked_in: str = "",
        meanwhile: Callable[[TurnContext], object] | None = None,
    ) -> TurnContext:
        """Returns the context of a question: the complete safety block first, then the sections of the conversation.

        `sections` are the wanted sections (`scene`, `summary`, `memory`, `previous`), `None` for all. `max_tokens`
        limits the whole context; block and question are never cut. `max_chars`, `paged` and `about` are as in
        `build_context`. Without a `conversation_id` this is `build_context`. With a conversation and no subject, no
        facts are looked up; `about_nobody` asks for that even where a subject is given. The question is not stored; see
        `finish_turn`. `asked_in` is the episode of the question's words if they were remembered: facts in it appear
        after the block, not as unread. `meanwhile` gets the turn while its receipt is written; the same turn is
        returned unless that fails.

        Raises:
            InvalidInput, StoreUnavailable: as `build_context`.
            UnknownName: there is no such section or profile.
        """
        parts = None if sections is None else parts_of(sections)
        if conversation_id:
            self.conversations.profile(profile)
        recall = None
        if not (about_nobody and conversation_id):
            recalling = self._facts.recalling.unrecorded(query, subject=subject, intents=intents, about=about)
            recall = await self._about(recalling, asked_in, conversation_id)
        about_whom = recall.subject if recall else None
        prepare = partial(
            self._beside, query, conversation_id, about=about_whom, profile=profile, parts=parts, scene=scene
        )
        beside = (prepare if conversation_id else None, max_tokens)
        if recall is None:
            return await self._prepared(TurnContext(question=query, recall=None, block=self._nobody()), *beside)
        recall, block = fitted(recall, max_chars, paged=paged)
        gate = gate_record(asked=query, block=block)
        recording = asyncio.create_task(self._facts.recalling.recorded(recall, shown_to, gate, block=block))
        try:
            # It begins to write; meanwhile everything is made as if the receipt were there.
            await asyncio.sleep(0)
            turn = await self._prepared(TurnContext(question=query, recall=recall, block=block), *beside)
            if meanwhile is not None:
                meanwhile(turn)
            recorded = await recording
        finally:
            recording.cancel()
        return turn if recorded is recall else replace(turn, recall=recorded, block=render(recorded, with_query=False))

    async def _about(self, recalling: Awaitable[Recall], asked_in: str, conversation_id: str) -> Recall | None:
        """Returns the recall of a question, see `_without`; `None` for a conversation about nobody."""
        recall = await _if_about_anybody(recalling) if conversation_id else await recalling
        return recall and await self._without(recall, asked_in, conversation_id)

    async def _beside(
        self,
        query: str,
        conversation: str,
        *,
        about: Entity | None,
        profile: str,
        parts: Sequence[Part] | None,
        scene: str,
        max_tokens: int | None,
    ) -> PreparedSections:
        """Returns the sections in front of a question, without words that were withdrawn."""
        return await self.conversations.prepare(
            query,
            conversation,
            subject_uid=about.uid if about else "",
            profile=profile,
            parts=parts,
            max_tokens=max_tokens,
            scene=scene,
            withdrawn=await self.withdrawn(about, conversation),
        )

    async def withdrawn(self, about: Entity | None, conversation: str) -> WithdrawnWords:
        """Returns what was withdrawn or corrected of a subject, and of the others whom the conversation was about.

        The same words are often told under each of several people, and corrected under one.
        """
        pairs = await self.conversations.stream.everyone() if conversation else ()
        others = [uid for name, uid in pairs if name == conversation and uid]
        uids = dict.fromkeys([*([about.uid] if about else []), *others])
        return await self._facts.lists.withdrawn(list(uids)[:_TOGETHER])

    async def _without(self, recall: Recall, asked_in: str, conversation_id: str) -> Recall:
        """Returns the recall without the question among what is unread; after a proposed action no answer is quiet."""
        if asked_in:
            waiting = tuple(episode for episode in recall.pending if episode.id != asked_in)
            recall = replace(recall, pending=waiting, groups=None)
        if recall.is_quiet and conversation_id and await self._proposed(conversation_id, recall.subject):
            recall = replace(recall, is_quiet=False)
        return recall

    def _nobody(self) -> str:
        """Returns the block of a conversation about nobody."""
        kind = self._facts.reader.schema.subject
        way_out = "Name whom it is about before you act for anybody."
        return f"{START}\nAbout nobody: no {kind} was named, so no facts were looked up. {way_out}\n{END}"

    def terms(self, text: str) -> list[str]:
        """Returns the terms of a text as the search compares them."""
        return terms(text)

    async def _proposed(self, conversation: str, subject: Entity) -> bool:
        """Whether the last answer of a conversation made a proposal, to which thanks may agree.

        True if the answer cannot be read.
        """
        try:
            async with asyncio.timeout(self._facts.limits.read_s):
                last = await self.conversations.turns(conversation, subject_uid=subject.uid, last=1)
                return bool(last and last[0].response and await self._facts.recalling.recognise(last[0].response))
        except (RMemoryError, TimeoutError, OSError):
            return True

    async def _prepared(
        self, turn: TurnContext, prepare: Callable[..., Awaitable[PreparedSections]] | None, max_tokens: int | None
    ) -> TurnContext:
        """Returns the turn with the sections of its conversation, or with the reason why they are missing."""
        if prepare is None:
            return turn
        room = None if max_tokens is None else max(1, max_tokens - count(turn.text))
        work = prepare(max_tokens=room)
        try:
            prepared = await asyncio.wait_for(work, timeout=self._facts.limits.conversation_s)
        except TimeoutError:
            return replace(turn, trouble=f"it took more than {self._facts.limits.conversation_s:g} s; call again")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong beside it, the safety block goes out
            logger.warning("Conversation missing", extra={"action": "build_turn", "error": type(error).__name__})
            return replace(turn, trouble=str(error) if isinstance(error, RMemoryError) else type(error).__name__)
        return replace(turn, prepared=prepared)

    async def finish_turn(
        self,
        text: str,
        reply: str,
        *,
        subject: str | Entity = "",
        conversation_id: str,
        speaker: str = "",
        responder: str = "",
        key: str = "",
        cut_off: bool = False,
        checked: DraftCheck | None = None,
        shown_to: str = "",
        said_at: Instant | None = None,
        states_nothing: bool = False,
    ) -> Finished:
        """Stores an answered turn, durable on return; facts come only from `remember`.

        Without a subject, the conversation is about no subject. The speaker defaults to the user, not the subject, who
        may be another person; the responder defaults to the assistant. An answer about a subject is checked against the
        facts unless `checked` is given; findings are stored and shown with it. Without `said_at` the turn is of now.
        `states_nothing`: the caller read the words and found no fact; a summary without a model then takes no data of
        them.

        Raises:
            InvalidInput: conversation, question or answer is missing; or a subclass for the subject.
            KeyUsed: the key belongs to another turn; this one was not stored.
            StoreUnavailable: nothing was stored.
        """
        named = subject or self._facts.subjects.single
        about = await self._facts.subjects.resolve(subject) if named else None
        if not (text.strip() and reply.strip()):
            raise InvalidInput("a turn needs what was asked and what was answered; store it once there is an answer")
        turn = NewTurn(
            conversation=conversation_id,
            observation=text,
            response=reply,
            objections=await self._objections(reply, about, checked, shown_to) if about else (),
            speaker=speaker or USER,
            responder=responder or ASSISTANT,
            subject_uid=about.uid if about else "",
            said_at=said_at,
            key=key,
            flags=(*((FLAG_CUT,) if cut_off else ()), *((FLAG_NOTHING,) if states_nothing else ())),
        )
        return await self.conversations.finish(turn)

    async def _objections(
        self, reply: str, about: Entity, checked: DraftCheck | None, shown_to: str
    ) -> tuple[str, ...]:
        try:
            checked = checked or await self._facts.recalling.check_text(reply, subject=about, shown_to=shown_to)
        except RMemoryError as error:
            # Unchecked is not unobjectionable.
            return (f"it could not be held against the memory: {without_secrets(str(error))}.",)
        rows = self._facts.reader.table.intents.values()
        return objections(checked, extra={row.traversal for row in rows})

    async def ingest(
        self,
        name: str,
        reading: DocumentText,
        *,
        subject: str | Entity = "",
        subject_name: str = "",
        another_than: Sequence[str] = (),
        plan: Plan | None = None,
        start_part: int = 0,
        limit_s: float | None = None,
        said_at: Instant | None = None,
        speaker: str = "",
        same_person: bool = False,
    ) -> AsyncIterator[Progress]:
        """Reads a document, its parts, facts and summaries, and yields a report after each step (see `Ingestion`).

        In an installation with several subjects, no facts are read without a subject. Without `said_at`, the date that
        the document states plainly counts, if there is one. A document whose heading names another person is refused
        unless `same_person`.

        Raises:
            InvalidInput: the document cannot be read or is a structured file; or a subclass for the subject.
            StoreUnavailable, NotStored: what was reported is stored; the same call continues from there.
        """
        check_prose(reading.text, name)
        subjects = self._facts.subjects
        named = subject or subject_name or subjects.single
        about: Entity | None = None
        if named:
            schema = self._facts.reader.schema
            if not same_person:
                dry = await subjects.resolve_or_declare(subject, subject_name, another_than=another_than, dry_run=True)
                check_heading(reading.text, dry, schema)
            about = await subjects.resolve_or_declare(subject, subject_name, another_than=another_than)
            said_at = own_date(reading.text, schema) if said_at is None else said_at
            said_at = UNDATED if said_at is None else said_at
        reports = self.documents.ingest(
            name,
            reading,
            about=about,
            plan=plan,
            start_part=start_part,
            limit_s=limit_s,
            said_at=said_at,
            speaker=speaker,
        )
        begun = self._facts.clock.now()
        last: Progress | None = None
        async with aclosing(reports):
            async for last in reports:
                yield last
        if last is not None and about is not None and not last.already:
            standing = await self._facts.recalling.not_together_since(about, begun)
            if standing != NOTHING_CLASHES:
                yield replace(last, standing=standing)


async def _if_about_anybody(recalling: Awaitable[Recall]) -> Recall | None:
    """Returns the recall; `None` if it needs a subject and none is given."""
    try:
        return await recalling
    except SubjectRequired:
        return None
