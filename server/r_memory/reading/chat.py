"""The model route: an utterance and the schema to a language model, its answer to proposals.

Knows how to ask and how to read the answer. It trusts nothing of it: the one validator decides. The model sees the
utterance, who says it, the turns before and the subject's name; never another subject, never a stored fact.
Implements `protocols.RemoteExtractor`.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from r_memory.domain.card import card
from r_memory.domain.facts import Extraction, Proposal, Rejection, Route, Span, Status
from r_memory.domain.prompts import Prompt, filled
from r_memory.domain.schema import Example, Schema
from r_memory.errors import BadReply
from r_memory.protocols import ChatMessage, ChatModel, Linker, ReplyForm, Turn, Utterance, strict
from r_memory.reading.things import LONGEST_MEANING
from r_memory.text.markers import without_blocks
from r_memory.text.sentences import passages

VERSION = "chat/2"
STATUSES = tuple(status.value for status in Status if status is not Status.ENTERED_IN_ERROR)
PASSAGE = 3000
"""Characters that the model is shown at once: small models lose the thread in more, and answers stay short."""
_DETAILS = 6
"""Most details of one fact."""
_EXAMPLES = 2
"""Examples of each relation in the prompt: stating ones, and as many that state nothing."""
TOGETHER = 8
"""Most utterances in one request."""
_SEVERAL = "several speakers, numbered"
_EARLIER = 300
"""Characters of an earlier turn that are shown."""


class _Detail(BaseModel):
    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    name: str
    value: str


class _Item(BaseModel):
    """One fact as the model gives it: as a calling assistant does."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    relation: str
    object: str
    evidence: str
    status: str
    attrs: tuple[_Detail, ...] = ()
    means: str = ""
    utterance: int = 1
    """Which of several numbered ones states it."""


class ChatExtractor:
    """Asks one model with one prompt under one schema."""

    def __init__(self, model: ChatModel, prompt: Prompt, schema: Schema, linker: Linker) -> None:
        self._model = model
        self._schema = schema
        self._prompt = prompt_of(prompt, schema, linker)
        self.name = f"{VERSION} {model.name}"
        self.prompt_digest = self._prompt.digest
        """Of the prompt with the schema in it, as recorded on events."""

    async def extract(self, utterance: Utterance) -> Extraction:
        """As `RemoteExtractor.extract`; a long utterance is sent in passages, each with the one before as context."""
        proposals: list[Proposal] = []
        rejections: list[Rejection] = []
        before = utterance.before
        spoken = without_blocks(utterance.text)
        for span in passages(spoken, PASSAGE):
            part = replace(utterance, text=spoken[span.start : span.end], before=before)
            most = most_facts(part.text)
            form = ReplyForm(name="facts", schema=reply_schema(self._schema, most))
            reply = await self._model.reply(self._messages(part), form=form)
            for read in self._read(reply.data, span, utterance.text, most):
                if isinstance(read, Proposal):
                    proposals.append(read)
                else:
                    rejections.append(read)
            before = (*utterance.before, Turn(role=utterance.role, speaker=utterance.speaker, text=part.text))
        return Extraction(proposals=tuple(proposals), rejections=tuple(rejections), language=self._schema.language.code)

    async def extract_all(self, utterances: Sequence[Utterance]) -> Sequence[Extraction]:
        """As `RemoteExtractor.extract_all`; short utterances share a request."""
        found: list[Extraction] = []
        for batch in _batches(utterances):
            found += [await self.extract(batch[0])] if len(batch) == 1 else await self._together(batch)
        return found

    async def _together(self, batch: Sequence[Utterance]) -> list[Extraction]:
        """Returns the extraction of each utterance of one request."""
        spoken = [without_blocks(utterance.text) for utterance in batch]
        numbered = "\n".join(
            f"{number}. {each.speaker or each.role}: {text}"
            for number, (each, text) in enumerate(zip(batch, spoken, strict=True), start=1)
        )
        most = sum(map(most_facts, spoken))
        whole = replace(batch[0], text=numbered, speaker=_SEVERAL)
        form = ReplyForm(name="facts", schema=reply_schema(self._schema, most, utterances=len(batch)))
        reply = await self._model.reply(self._messages(whole), form=form)
        proposals: list[list[Proposal]] = [[] for _ in batch]
        rejections: list[list[Rejection]] = [[] for _ in batch]
        for item in self._items(reply.data, most):
            if isinstance(item, Rejection):
                rejections[0].append(item)
                continue
            at = _place(item, spoken)
            text = batch[at].text
            proposals[at].append(self._proposal(item, Span(start=0, end=len(text)), text))
        code = self._schema.language.code
        return [
            Extraction(proposals=tuple(read), rejections=tuple(wrong), language=code)
            for read, wrong in zip(proposals, rejections, strict=True)
        ]

    def _messages(self, utterance: Utterance) -> tuple[ChatMessage, ChatMessage]:
        words = {
            "subject": utterance.subject.name,
            "speaker": utterance.speaker or utterance.role,
            "before": "\n".join(map(_turn, utterance.before)) or "none",
            "text": utterance.text,
        }
        return (
            ChatMessage(role="system", text=self._prompt.told),
            ChatMessage(role="user", text=filled(self._prompt.asked, words)),
        )

    def _read(self, data: Mapping[str, object], passage: Span, text: str, most: int) -> Iterator[Proposal | Rejection]:
        for item in self._items(data, most):
            yield item if isinstance(item, Rejection) else self._proposal(item, passage, text)

    def _items(self, data: Mapping[str, object], most: int) -> Iterator[_Item | Rejection]:
        """Yields the facts of an answer, and a rejection for each malformed item."""
        facts = data.get("facts")
        if not isinstance(facts, list):
            raise BadReply("the model's answer holds no list of facts; use a model that keeps to a form")
        for fact in facts[:most]:
            try:
                yield _Item.model_validate(fact)
            except ValidationError:
                yield _unreadable(fact)
        yield from _unheard(len(facts) - most, most)

    def _proposal(self, item: _Item, passage: Span, text: str) -> Proposal:
        start = text.find(item.evidence, passage.start, passage.end) if item.evidence else -1
        return Proposal(
            relation=item.relation,
            object=item.object,
            status=item.status,
            attrs={attr.name: attr.value.strip() for attr in item.attrs if attr.value.strip()},
            evidence=item.evidence,
            span=Span(start=start, end=start + len(item.evidence)) if start >= 0 else None,
            route=Route.MODEL,
            extractor=self.name,
            prompt_digest=self.prompt_digest,
            means=item.means.strip()[:LONGEST_MEANING],
        )


def _turn(turn: Turn) -> str:
    """Returns an earlier turn without the blocks that the memory put into it."""
    return f"{turn.speaker or turn.role}: {without_blocks(turn.text).strip()[-_EARLIER:]}"


def _batches(utterances: Sequence[Utterance]) -> Iterator[list[Utterance]]:
    """Yields the utterances in groups that fit one request, in order."""
    batch: list[Utterance] = []
    for utterance in utterances:
        if batch and (len(batch) == TOGETHER or sum(len(other.text) for other in (*batch, utterance)) > PASSAGE):
            yield batch
            batch = []
        batch.append(utterance)
    if batch:
        yield batch


def _place(item: _Item, spoken: Sequence[str]) -> int:
    """Returns the index of the utterance that states the item: the given one, unless only others hold the evidence."""
    named = min(max(item.utterance, 1), len(spoken)) - 1
    holding = [at for at, text in enumerate(spoken) if item.evidence and item.evidence in text]
    return holding[0] if len(holding) == 1 else named


def most_facts(text: str) -> int:
    """Returns how many facts a text of this length may state. A longer answer is a model that repeats itself.

    >>> most_facts("PCN, sulfa, codeine, latex"), most_facts("x" * 3000)
    (4, 128)
    """
    return 3 + len(text) // 24


def reply_schema(schema: Schema, most: int, *, utterances: int = 1) -> dict[str, object]:
    """Returns the JSON Schema of an answer, strict enough for servers that enforce it."""
    number = {"utterance": {"type": "integer", "enum": list(range(1, utterances + 1))}} if utterances > 1 else {}
    names = sorted({name for relation in schema.relations.values() for name in relation.attrs})
    detail = strict({"name": {"type": "string", "enum": names or ["-"]}, "value": {"type": "string"}})
    fact = strict(
        {
            **number,
            "evidence": {"type": "string"},
            "relation": {"type": "string", "enum": list(schema.relations)},
            "object": {"type": "string"},
            "status": {"type": "string", "enum": list(STATUSES)},
            "attrs": {"type": "array", "items": detail, "maxItems": _DETAILS},
            "means": {"type": "string"},
        }
    )
    return strict({"facts": {"type": "array", "items": fact, "maxItems": most}})


def _unreadable(fact: object) -> Rejection:
    given: Mapping[str, Any] = fact if isinstance(fact, dict) else {}
    relation, object_ = (str(given.get(name, ""))[:80] for name in ("relation", "object"))
    return Rejection(relation=relation, object=object_, reason="the model left out a part of it, or gave another form")


def _unheard(beyond: int, most: int) -> Iterator[Rejection]:
    if beyond > 0:
        reason = f"the model went on for {beyond} facts more than such words can state ({most}); they were not read"
        yield Rejection(relation="", object="", reason=reason)


# the schema in words


def prompt_of(prompt: Prompt, schema: Schema, linker: Linker) -> Prompt:
    """Returns the prompt with the schema filled in; its digest is recorded on events and exams."""
    return replace(prompt, told=filled(prompt.told, _of_schema(schema, linker)))


def _of_schema(schema: Schema, linker: Linker) -> dict[str, str]:
    return {
        "subject_type": schema.subject,
        "card": card(schema),
        "examples": "\n\n".join(_example(example, name, linker) for example, name in _chosen(schema)),
    }


def _chosen(schema: Schema) -> Iterator[tuple[Example, str]]:
    """Yields examples of each relation: the first that state a fact, and the first that state none."""
    for name, relation in schema.relations.items():
        stating = [example for example in relation.examples if example.expect is not None]
        silent = [example for example in relation.examples if example.expect is None]
        yield from ((example, name) for example in (*stating[:_EXAMPLES], *silent[:1]))


def _example(example: Example, relation: str, linker: Linker) -> str:
    facts: Sequence[object] = ()
    if example.expect is not None:
        given = dict(example.expect)
        facts = [
            {
                "evidence": example.text,
                "relation": relation,
                "object": _as_said(example.text, str(given.pop("object", "")), linker),
                "status": example.status.value,
                "attrs": [{"name": name, "value": str(value)} for name, value in given.items()],
                "means": "",
            }
        ]
    return f"Utterance: {example.text}\nAnswer: {json.dumps({'facts': list(facts)}, ensure_ascii=False)}"


def _as_said(text: str, name: str, linker: Linker) -> str:
    """Returns the words of the text that mean the term; the name itself if there are none."""
    return next((mention.surface for mention in linker.mentions(text) if mention.name == name), name)
