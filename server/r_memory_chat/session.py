"""One person's conversation with a model over the memory, step by step; it needs no terminal.

The order is fixed: the words are stored with their facts, the safety block is read, the model is asked, and only an
answer that came whole becomes a turn, with what is on record against it. What else is said to the person beside the
conversation is an event and nothing else: it is neither stored nor shown to the model.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Protocol, cast

from r_memory.cli.app import message_of
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import KeptSummary
from r_memory.domain.turns import Finished
from r_memory.errors import CutOff, InvalidInput, ModelError, RMemoryError, StoreError
from r_memory.facts.recall.rendering import addressed_lines
from r_memory.facts.recall.verdicts import doubts
from r_memory.facts.remember.results import Remembered
from r_memory.memory import Memory
from r_memory.protocols import ChatMessage
from r_memory.text.inert import without_secrets
from r_memory.text.markers import END, START
from r_memory_chat.events import (
    Answered,
    AnswerWhole,
    CommandDone,
    Event,
    Failed,
    Front,
    Heard,
    Notice,
    Objection,
    Piece,
)
from r_memory_chat.orders import Manner, is_order, obey
from r_memory_chat.outbox import Outbox, OutboxMessage
from r_memory_chat.settling import is_settling, settle
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.talk import USER

SHOWN_TO = "chat"
"""Recipient named in receipts."""
_ERROR_LIMIT = 600
"""Most characters of an error: all subjects of one name, and what to do."""
GO_ON = "Go on exactly where your last answer stopped; repeat nothing of it."
"""Asks for the rest of an answer that was cut off."""
RESPONDER = "assistant"
CONTINUE = "/continue"
EVERY = 1_000_000
"""More turns than any conversation has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPerson:
    """The subject of the conversation."""

    entity: Entity | None
    """`None`: no subject, so that no facts are stored or looked up."""
    is_new: bool = False
    """Not recorded yet; declared with the first words."""
    another_than: tuple[str, ...] = ()
    """Ids of subjects with the same name who are other people."""

    @property
    def uid(self) -> str:
        """Key of the subject; empty without one."""
        return self.entity.uid if self.entity else ""


class StreamingChat(Protocol):
    """A language model whose answer can be read while it is made."""

    name: str
    """The model's name as its server knows it."""

    def stream(self, messages: Sequence[ChatMessage]) -> AsyncGenerator[str, None]:
        """Yields the pieces of the answer in order; close it to stop early.

        The answer is complete only if the iteration ends by itself.

        Raises:
            ModelUnavailable: the model cannot be reached, is overloaded, silent for too long, or broke off.
            ModelRefused: the server refused the key, the model or the request.
            BadReply: the answer is empty; `CutOff`: it reached its length limit, and the pieces are its beginning.
        """


class Session:
    """A conversation about one subject; call `choose` first."""

    def __init__(
        self,
        memory: Memory,
        chat: StreamingChat | None,
        manner: Manner,
        *,
        count: Callable[[str], int],
        time: Callable[[], str],
        new_key: Callable[[], str],
    ) -> None:
        """`count` returns the tokens of a text, `time` the present as text, `new_key` a new unique key."""
        self.manner = manner
        self._memory = memory
        self._chat = chat
        self._count = count
        self._time = time
        self._new_key = new_key
        self._person: ChatPerson | None = None
        self._outbox = Outbox(hear=self._hear, finish=self._finish)
        self._cut: tuple[ChatMessage, ...] = ()
        """The messages up to the last answer, where that was cut off."""
        self._question = ""
        """What it answered."""
        self._unanswered: OutboxMessage | None = None
        """The last message, while it has no answer: sent again, it is the same one."""

    @property
    def model(self) -> str:
        """The model's name; empty without one."""
        return self._chat.name if self._chat else ""

    @property
    def person(self) -> ChatPerson | None:
        """The subject; `None` before `choose`."""
        return self._person

    @property
    def waiting(self) -> int:
        """Number of messages that could not be stored yet."""
        return len(self._outbox.waiting)

    @property
    def kind(self) -> str:
        """The schema's name for subjects."""
        return self._memory.schema.subject

    @property
    def is_single(self) -> bool:
        """Whether this is a single-subject installation."""
        return bool(self._memory.facts.subjects.single)

    def new_person(self, id_: str, name: str, *, another_than: tuple[str, ...] = ()) -> ChatPerson:
        """Returns a subject without any record."""
        entity = Entity(space=self._memory.facts.space, type=self.kind, id=id_, name=name)
        return ChatPerson(entity=entity, is_new=True, another_than=another_than)

    def choose(self, person: ChatPerson) -> None:
        """Changes the subject; earlier turns stay with their subject.

        Raises:
            InvalidInput: words about the last subject could not be stored yet.
        """
        if self.waiting:
            raise InvalidInput("something that you said is not stored yet; send a message before you turn to another")
        self._person = person
        self._unanswered, self._cut = None, ()

    async def people(self) -> tuple[Entity, ...]:
        """Returns all recorded subjects, by id.

        Raises:
            StoreUnavailable: they could not be read.
        """
        return await self._memory.subjects()

    async def turns(self, last: int) -> Sequence[MemoryItem]:
        """Returns the newest turns of the conversation, oldest first.

        Raises:
            StoreUnavailable: they could not be read.
        """
        name = self.manner.conversation
        return await self._memory.talk.stream.conversation(name, subject_uid=self._about.uid, last=last)

    async def summary(self) -> KeptSummary | None:
        """Returns the present structured summary; `None` before the first.

        Raises:
            StoreUnavailable: it could not be read.
        """
        name = self.manner.conversation
        return await self._memory.talk.conversations.summary(name, subject_uid=self._about.uid)

    async def send(self, text: str) -> AsyncGenerator[Event, None]:
        """Sends a message and yields what happens; the last event is `Answered` or `Failed`.

        If closed before `AnswerWhole`, no turn is stored; facts in the words stay. `/continue` asks for the rest of an
        answer that was cut off.
        """
        if is_order(text) or is_settling(text):
            yield await self._obeyed(text)
            return
        goes_on = text.strip() == CONTINUE
        if goes_on and not self._cut:
            yield Failed(reason="the last answer was not cut off; there is nothing to continue")
            return
        async with aclosing(self._sent(text.strip() if goes_on else text, goes_on=goes_on)) as events:
            async for event in events:
                yield event

    async def _sent(self, text: str, *, goes_on: bool) -> AsyncGenerator[Event, None]:
        if self._unanswered is None or self._unanswered.text != text:
            self._unanswered = OutboxMessage(key=self._new_key(), text=text)
        try:
            if settled := await self._outbox.settle():
                yield Notice(text=f"Stored now: {settled} of what could not be stored before.")
            if not goes_on and self._about.entity is not None:
                yield await self._stored(self._unanswered)
            self._unanswered.is_heard = self._unanswered.is_heard or goes_on or self._about.entity is None
            front = await self._front(
                self._question if goes_on else text, goes_on=goes_on, asked_in=self._unanswered.episode
            )
        except RMemoryError as error:
            yield Failed(reason=said(error))
            return
        yield front
        if front.recall is not None:
            for line in addressed_lines(front.recall):
                yield Notice(text=line, loud=True)
        if front.alarm:
            yield Notice(text=f"{front.alarm} {self._memory.schema.unavailable}".rstrip(), loud=True)
        async with aclosing(self._answer(self._unanswered, front)) as events:
            async for event in events:
                yield event

    async def _obeyed(self, text: str) -> CommandDone | Failed:
        try:
            if is_settling(text):
                return CommandDone(told=await self._settled(text))
            obeyed = await obey(text, self._memory.talk, self.manner, self._about.uid)
        except RMemoryError as error:
            return Failed(reason=said(error))
        self.manner, self._cut = obeyed.manner, ()
        return CommandDone(told=obeyed.told)

    async def _settled(self, text: str) -> str:
        if self._about.entity is None:
            raise InvalidInput("the conversation is about nobody, so nothing waits; choose whom it is about")
        return await settle(text, self._memory, self._about.entity.id, speaker=self.manner.speaker)

    @property
    def _about(self) -> ChatPerson:
        if self._person is None:
            raise InvalidInput("nobody was chosen; choose whom the conversation is about")
        return self._person

    # --- before the question -----------------------------------------------------------------------------------------

    async def _stored(self, message: OutboxMessage) -> Heard | Notice:
        message.is_heard = False  # of one that is sent again it is said again what became of it
        try:
            return Heard(remembered=cast("Remembered", await self._outbox.stored(message)))
        except StoreError as error:
            return _not_stored(error)

    async def _hear(self, message: OutboxMessage) -> Remembered:
        person, entity = self._about, self._about.entity
        if entity is None:
            raise InvalidInput("this conversation is about nobody; choose whom it is about to store facts")
        remembered = await self._memory.remember(
            message.text,
            subject=entity.id if person.is_new else entity,
            subject_name=entity.name if person.is_new else "",
            another_than=person.another_than,
            speaker=self.manner.speaker,
            conversation_id=self.manner.conversation,
            idempotency_key=message.key,
            is_request=True,
        )
        message.episode = remembered.episode_id
        self._person = replace(person, is_new=False)
        return remembered

    async def _front(self, question: str, *, goes_on: bool, asked_in: str) -> Front:
        manner, earlier = self.manner, self._cut if goes_on else ()
        turn, reason = None, ""
        try:
            if manner.old and not goes_on:
                earlier = replayed(await self.turns(EVERY))
            turn = await self._memory.build_turn(
                question,
                subject=self._about.entity or "",
                conversation_id=manner.conversation,
                profile=manner.profile,
                sections=() if manner.old else None,
                scene=manner.scene,
                shown_to=SHOWN_TO,
                about_nobody=self._about.entity is None,
                asked_in=asked_in,
            )
        except StoreError as error:
            reason = said(error)
        block = turn.block if turn else unavailable_block(reason, self._memory.schema.unavailable)
        before = turn.memory if turn else ""
        last, time, instruction = GO_ON if goes_on else question, self._time(), manner.instruction
        sent = asked(last, time=time, instruction=instruction, block=block, before=before, earlier=earlier)
        tokens = sum(self._count(message.text) for message in sent)
        prepared = turn.prepared if turn else None
        history = prepared.decision.full_history_tokens if prepared else 0
        return Front(
            question=question,
            block=block,
            before=before,
            recall=turn.recall if turn else None,
            prepared=prepared,
            sent=sent,
            tokens=tokens,
            full_tokens=tokens if manner.old else tokens - self._count(before) + history,
            reason=reason,
            trouble=without_secrets(turn.trouble) if turn else "",
        )

    # --- the answer --------------------------------------------------------------------------------------------------

    async def _answer(self, message: OutboxMessage, front: Front) -> AsyncGenerator[Event, None]:
        reply = ""
        try:
            async with aclosing(self._pieces(front)) as pieces:
                async for piece in pieces:
                    reply += piece
                    yield Piece(text=piece)
        except CutOff as error:
            if not reply.strip():
                yield Failed(reason=said(error))
                return
            message.is_cut_off = True
            yield Notice(text=f"{said(error)}. What there is of it is kept; /continue goes on with it.", loud=True)
        except ModelError as error:
            yield Failed(reason=said(error))
            return
        if self._chat is not None and not reply.strip():
            yield Failed(reason="the model gave an empty answer; try again, or use another model")
            return
        self._unanswered = None
        so_far = (*front.sent[1:], ChatMessage(role="assistant", text=reply))
        self._cut, self._question = so_far if message.is_cut_off else (), front.question
        yield AnswerWhole()
        told = await self._held_against(message, reply, front)
        for event in (*await self._kept(message, reply), *told):
            yield event

    async def _pieces(self, front: Front) -> AsyncGenerator[str, None]:
        if self._chat is not None:
            async with aclosing(self._chat.stream(front.sent)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _kept(self, message: OutboxMessage, reply: str) -> list[Event]:
        message.reply = reply
        try:
            finished = cast("Finished | None", await self._outbox.stored(message))
        except RMemoryError as error:
            # Of a message whose words wait as well, that was said already.
            return [Answered(reply=reply), *([_not_stored(error)] if message.is_heard else [])]
        troubles = finished.troubles if finished else {}
        behind = [
            Notice(text=f"{work.replace('_', ' ')} not made: {without_secrets(why)}; tried again with the next turn")
            for work, why in troubles.items()
        ]
        return [Answered(reply=reply, finished=finished), *behind]

    async def _finish(self, message: OutboxMessage) -> Finished:
        about, conversation = self._about, self.manner.conversation
        if message.reply:
            return await self._memory.finish_turn(
                message.text,
                message.reply,
                subject=about.entity or "",
                conversation_id=conversation,
                speaker=self.manner.speaker,
                responder=RESPONDER,
                key=message.key,
                cut_off=message.is_cut_off,
                checked=message.checked,
                shown_to=SHOWN_TO,
            )
        words = NewTurn(
            conversation=conversation,
            observation=message.text,
            speaker=self.manner.speaker or USER,
            subject_uid=about.uid,
            key=message.key,
        )
        return await self._memory.talk.conversations.finish(words)

    async def _held_against(self, message: OutboxMessage, reply: str, front: Front) -> list[Event]:
        """Returns the findings against the answer; an empty list says nothing about unrecorded things."""
        about = self._about.entity
        if not reply or about is None:
            return []
        try:
            checked = message.checked = await self._memory.check_text(reply, subject=about, shown_to=SHOWN_TO)
        except RMemoryError as error:
            untold = Notice(text=f"The answer was not held against the memory: {said(error)}.", loud=True)
            return [] if front.alarm else [untold]
        conflicts: list[Event] = [Objection(finding=item) for item in checked.findings if item.verdict == "conflict"]
        return conflicts or [Notice(text=line) for line in doubts(checked)]


# --- what a model is asked ------------------------------------------------------------------------------------------


def asked(
    question: str, *, time: str, instruction: str, block: str, before: str, earlier: Sequence[ChatMessage] = ()
) -> tuple[ChatMessage, ...]:
    """Returns the request: the unchanged safety block first, then, as in CIM, time, instruction, sections, question.

    `earlier` are messages before the question, replayed unchanged. Everything before the question is one system
    message: templates of several models silently drop a second one, and that could be the safety block. Of the machine
    it tells only the time, unlike CIM, which adds operating system and processor.
    """
    parts = (block, f"It is {time}.", instruction.strip(), before)
    system = "\n\n".join(part for part in parts if part)
    return ChatMessage(role="system", text=system), *earlier, ChatMessage(role="user", text=question)


def replayed(turns: Sequence[MemoryItem]) -> tuple[ChatMessage, ...]:
    """Returns the turns as messages, oldest first."""
    said = [
        (ChatMessage(role="user", text=turn.observation), ChatMessage(role="assistant", text=turn.answer))
        for turn in turns
    ]
    return tuple(message for pair in said for message in pair if message.text)


def unavailable_block(reason: str, ask: str) -> str:
    """Returns the replacement for the safety block when the subject could not be looked up."""
    return f"{START}\nSAFETY MEMORY UNAVAILABLE: {reason}. {ask}".rstrip() + f"\n{END}"


def said(error: RMemoryError) -> str:
    """Returns an error for a person: without addresses and secrets, and without a full stop at the end."""
    return without_secrets(message_of(error), _ERROR_LIMIT)


def _not_stored(error: RMemoryError) -> Notice:
    return Notice(text=f"NOT STORED: {said(error)}. It is tried again with your next message.", loud=True)
