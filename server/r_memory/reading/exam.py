"""Examines a language model: asks it about the lines of a domain through the product's prompt and validator, and marks.

What a model states is taken as it would be stored if it counted, without the local reader's help: a fact that the
validator refuses is not stated, one that waits keeps no risk, and an absence that only waits is still the model's.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from r_memory.domain.exams import PERSON, ExamLine, Expected, LineMark
from r_memory.domain.facts import DENIAL, RISK, Entity, Extraction, Proposal
from r_memory.domain.schema import Schema
from r_memory.errors import BadReply, ModelError, ModelRefused, ModelUnavailable
from r_memory.protocols import ChatMessage, ChatModel, ChatReply, RemoteExtractor, ReplyForm, Turn, Utterance
from r_memory.reading.alike import Alike, meaning
from r_memory.reading.listener import Told
from r_memory.reading.reader import Reader
from r_memory.reading.rules.candidates import reassuring
from r_memory.text.tokens import count

_SUBJECT = "Alex Example"


class Counting:
    """Wraps a model and counts the tokens of its requests and answers. Implements `ChatModel`."""

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self.tokens = 0
        self._model = model

    async def reply(self, messages: Sequence[ChatMessage], *, form: ReplyForm | None = None) -> ChatReply:
        """Returns the model's reply, and counts its tokens and those of the messages."""
        self.tokens += sum(count(message.text) for message in messages)
        reply = await self._model.reply(messages, form=form)
        self.tokens += count(reply.text)
        return reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Exam:
    """An exam of one model on the lines of one domain."""

    extractor: RemoteExtractor
    """Asks `model`."""
    model: Counting
    reader: Reader
    lines: Sequence[ExamLine]

    async def taken(self, done: Callable[[], None]) -> tuple[LineMark, ...]:
        """Returns the mark of each line, in order; calls `done` after each.

        A line without an answer in time is marked as malformed. The exam ends if the first line, or two lines in a row,
        get no answer.

        Raises:
            ModelUnavailable: the model cannot be reached, or no longer.
            ModelRefused: the model refuses the key or the request.
        """
        marks: list[LineMark] = []
        answered = False
        for line in self.lines:
            try:
                marks.append(await self._mark(line))
                answered = True
            except ModelUnavailable as error:
                if not answered:
                    raise ModelUnavailable(_broke_off(error, len(marks), len(self.lines))) from error
                answered = False
                marks.append(mark(line, (), self.reader, malformed=True))
            except ModelRefused as error:
                raise ModelRefused(_broke_off(error, len(marks), len(self.lines))) from error
            done()
        return tuple(marks)

    async def _mark(self, line: ExamLine) -> LineMark:
        utterance = utterance_of(line, self.reader.schema)
        began, before = time.monotonic(), self.model.tokens
        read, malformed = Extraction(), False
        try:
            # The product asks no model about an assistant's words: they are no evidence.
            read = await self.extractor.extract(utterance) if line.role != "assistant" else read
        except BadReply:
            malformed = True
        listener = self.reader.listener
        return mark(
            line,
            () if listener is None else listener.listen(utterance, read.proposals, None).told,
            self.reader,
            malformed=malformed or (bool(read.rejections) and not read.proposals),
            seconds=time.monotonic() - began,
            tokens=self.model.tokens - before,
        )


def _broke_off(error: ModelError, done: int, lines: int) -> str:
    return f"{error}; the exam broke off after {done} of {lines} lines, and nothing of it was kept"


def utterance_of(line: ExamLine, schema: Schema) -> Utterance:
    """Returns the line as an utterance about a made-up subject."""
    subject = Entity(space="exam", type=schema.subject, id="exam", name=_SUBJECT)
    before = tuple(Turn(role="user", speaker=speaker, text=text) for speaker, text in line.before)
    return Utterance(text=line.text, role=line.role, speaker=line.speaker, subject=subject, before=before)


def mark(
    line: ExamLine,
    told: Sequence[Told],
    reader: Reader,
    *,
    malformed: bool = False,
    seconds: float = 0.0,
    tokens: int = 0,
) -> LineMark:
    """Returns the mark of one line: compares its expected facts with `told`, the facts that the model read."""
    same = _Same(line, told, reader)
    options = (*line.expect, *line.allow)
    risks = [fact for fact in line.expect if fact.status in RISK and reader.schema.relations[fact.relation].critical]
    stored = [item for item in told if item.observation is not None]
    tolerated = reassuring(reader.schema)

    def reassures(fact: Expected | Proposal) -> bool:
        return (fact.status in DENIAL) != (fact.relation in tolerated)

    absences = [item for item in told if (item.observation is not None or item.waits) and reassures(item.given)]
    extra = [item for item in stored if not any(same.thing(option, item) for option in options)]
    wrong = [item for item in extra if item.given.status in RISK and item.given.relation not in tolerated]
    return LineMark(
        id=line.id,
        kind=line.kind,
        risks=len(risks),
        kept=sum(any(_is_kept(fact, item, line.allow, same) for item in stored) for fact in risks),
        stated=len(stored),
        unstated=0 if line.kind == PERSON else len(wrong),
        false_absences=sum(
            not any(reassures(option) and same.names(option, absence) for option in options) for absence in absences
        ),
        wrong_person=len(wrong) if line.kind == PERSON else 0,
        malformed=malformed,
        seconds=seconds,
        tokens=tokens,
    )


def _is_kept(fact: Expected, one: Told, allowed: Iterable[Expected], same: "_Same") -> bool:
    """Whether a stored fact is the expected risk, under its relation or one that the line allows for the thing."""
    relations = {fact.relation, *(option.relation for option in allowed if option.status in RISK)}
    seen = one.observation
    return seen is not None and seen.status in RISK and seen.relation in relations and same.names(fact, one)


class _Same:
    """Compares facts of the model with expected ones."""

    def __init__(self, line: ExamLine, told: Sequence[Told], reader: Reader) -> None:
        names = {fact.object for fact in (*line.expect, *line.allow)}
        for item in told:
            names |= set(_named(item))
        self._alike = Alike({name.casefold(): meaning(name, reader.linker, reader.schema) for name in names})

    def thing(self, option: Expected, one: Told) -> bool:
        """Whether both have the same relation and thing, and both or neither are a denial."""
        seen = one.observation
        relation, status = (seen.relation, seen.status) if seen is not None else (one.given.relation, one.given.status)
        both = (option.status in DENIAL) == (status in DENIAL)
        return option.relation == relation and both and self.names(option, one)

    def names(self, option: Expected, one: Told) -> bool:
        """Whether both name the same thing; either may have more words, as models quote more or fewer."""
        return any(
            self._alike.spoken(option.object, name) or self._alike.alike(name, option.object) for name in _named(one)
        )


def _named(one: Told) -> tuple[str, ...]:
    own = () if one.observation is None else (one.observation.object.id,)
    return tuple(name for name in (one.given.object, one.given.means, *own) if name)
