"""The tools that write: an utterance with the caller's reading of it, or a long text in calls of bounded length.

They take words, no paths or addresses. How a document is read is `r_memory_talk/documents/`.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Literal
from urllib.parse import unquote

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationError, WithJsonSchema

from r_memory.documents.files import claimed
from r_memory.documents.plain import read_text
from r_memory.domain.documents import Progress
from r_memory.domain.instants import UNDATED, day_from, day_shown, parse_instant
from r_memory.domain.turns import Finished
from r_memory.errors import InvalidInput, KeyUsed, RMemoryError, SubjectRequired
from r_memory.facts.remember.results import Claim, Remembered, Result
from r_memory.memory import Memory
from r_memory.serving.tools.calls import (
    AnotherThan,
    AnySubject,
    Call,
    ConversationId,
    Speaker,
    Subject,
    SubjectName,
    answer,
    client_of,
    fits,
    memory_for,
    shortened,
)
from r_memory.serving.tools.errors import saying, writing
from r_memory.serving.tools.models import From, Out, RememberedOut, clashes_told, reasons
from r_memory.serving.tools.viewing import changed
from r_memory.text.inert import inert
from r_memory.text.markers import without_own_blocks
from r_memory.text.unavailable import unavailable_block

Said = Annotated[str, Field(description="The words as said.")]
Role = Annotated[Literal["user", "assistant", "document"], Field(description="An assistant's words are no evidence.")]
Reply = Annotated[str, Field(max_length=200_000, description="Your answer, kept as a turn.")]
Key = Annotated[str, Field(max_length=200, description='New for each text; "": same words on one day, once.')]
DryRun = Annotated[bool, Field(description="Store nothing.")]
Value = Annotated[
    Annotated[str, Field(max_length=200)] | int | float | bool,
    # Validation tells whole numbers from others; for a reader of the schema they are numbers.
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": 200}, {"type": "number"}, {"type": "boolean"}]}),
]

_REASONS_SHOWN = 4
_SHOWN = 40
_NO_FACTS = "nobody was named, so the turn is kept and no facts were looked for; if it is about somebody, say whom"
_ECHO = Result(
    verdict="rejected", reason="the text held a context block of this memory; it was left out, as it is no new evidence"
)

_CONFLICTS = 100
_BLOCK_CHARS = 8_000
"""Of the block beside a result; cuts lines below the critical ones only."""
_REPEATED = 1_000
"""Characters of a request that is shown again behind its block."""
LIMIT_S = 20.0
"""After this a call that reads a document ends with what is done: hosts give up on silent ones, some after a minute."""
LONGEST = 200_000
_BROKEN_OFF = "The document is not read to its end: {}. Call again with the same arguments: it goes on from there."
_UNDATED = "It states no day plainly, so its statements are of an unknown date; said_at gives one in the first call."
_NOBODY = "No subject: stored without looking for facts. Call again with one if it is about somebody."


class FactIn(BaseModel):
    """A fact that the caller read in the text."""

    model_config = ConfigDict(extra="forbid")

    relation: str = Field(max_length=64, description="One of the above.")
    object: str = Field(min_length=1, max_length=200, description="Who or what, in the text's words.")
    evidence: str = Field(min_length=1, max_length=2_000, description="The words that say so, verbatim.")
    status: str = Field(
        default="active", max_length=32, description="active, unconfirmed, negated, refuted or resolved."
    )
    attrs: Annotated[dict[str, Value], Field(max_length=16)] = Field(default={}, description="Details, by name.")
    means: str = Field(default="", max_length=200, description="Garbled or foreign words in English.")
    corrects: str = Field(default="", max_length=200, description="Fact: id or words.")

    def claim(self) -> Claim:
        """The fact as the memory takes it."""
        return Claim(**dict(self))


@dataclass(frozen=True, slots=True)
class Malformed:
    """A given fact without the form of one: it alone is refused, and the words that it quotes wait."""

    relation: str
    object: str
    reason: str
    evidence: str = ""

    def claim(self) -> Claim:
        """A fact that is refused, in its place."""
        return Claim(relation=self.relation, object=self.object, evidence=self.evidence, trouble=self.reason)


def _fact_in(given: object) -> FactIn | Malformed:
    """The fact, with unset fields left out; or what is wrong with it, without its words."""
    if not isinstance(given, Mapping):
        return Malformed("", "", "a fact is an object with relation, object and evidence")
    told = {str(name): value for name, value in given.items() if value not in (None, "", [], {})}
    if isinstance(attrs := told.get("attrs"), Mapping):
        told["attrs"] = {name: value for name, value in attrs.items() if value not in (None, "", [], {})}
    try:
        return FactIn.model_validate(told)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False, include_context=False)[:_REASONS_SHOWN]
        reason = "; ".join(f"{'.'.join(map(str, each['loc']))[:_SHOWN]}: {each['msg']}" for each in wrong)
        relation, thing, evidence = (str(told.get(name, "")) for name in ("relation", "object", "evidence"))
        return Malformed(relation[:64], thing[:200], reason, evidence)


def _facts_in(given: object) -> list[FactIn | Malformed] | None:
    if given is None:
        return None
    if not isinstance(given, list):
        raise ValueError("give a list of facts; [] where the text states nothing")  # noqa: TRY004 - pydantic's own way
    return [_fact_in(each) for each in given]


_FORM = {key: value for key, value in FactIn.model_json_schema().items() if key != "description"}
for _described in _FORM["properties"].values():
    # What may be left out, and that values are plain, goes without saying: lists of tools are short of room.
    _described.pop("additionalProperties", None)
    if not _described.get("default", True):
        del _described["default"]
FactsIn = Annotated[
    list[FactIn | Malformed] | None,
    PlainValidator(_facts_in),
    WithJsonSchema({"type": "array", "items": _FORM}),
    Field(description="Every fact in the text; []: you read it and it states none."),
]


async def _about_nobody(finish: Callable[[], Awaitable[Finished]]) -> CallToolResult:
    """Keeps the turn of a conversation about nobody as talk; no facts are read."""
    turn = await finish()
    troubles = {**reasons(turn.troubles), "facts": _NO_FACTS}
    return answer(RememberedOut.about_nobody(turn=turn.item.index, troubles=troubles))


async def memory_remember(
    ctx: Call,
    *,
    text: Said,
    facts: FactsIn = None,
    subject: AnySubject = "",
    subject_name: SubjectName = "",
    another_than: AnotherThan = (),
    role: Role = "user",
    speaker: Speaker = "",
    conversation_id: ConversationId = "",
    reply: Reply = "",
    said_at: Annotated[str, Field(max_length=40, description='ISO-8601 with zone; "": now.')] = "",
    idempotency_key: Key = "",
    dry_run: DryRun = False,
) -> Annotated[CallToolResult, RememberedOut]:
    """Remember what somebody says about {topics} or anything else worth keeping: stores the words and, as `facts`,
    your reading of them.

    {card}
    """
    async with memory_for(ctx, writing()) as memory:
        words = _own_words(text)
        replied = _replied(reply, role=role, conversation_id=conversation_id, dry_run=dry_run)
        when = parse_instant(said_at) if said_at else None
        finish = partial(
            memory.finish_turn,
            words,
            replied,
            conversation_id=conversation_id,
            speaker=speaker,
            said_at=when,
            states_nothing=facts == [],
        )
        asking = _asking(memory, words, _beside(words, facts)) if role == "user" and not replied else _nothing_asked
        try:
            remembered = await memory.remember(
                words,
                subject=subject,
                subject_name=subject_name,
                another_than=another_than,
                role=role,
                speaker=speaker,
                conversation_id=conversation_id,
                said_at=when,
                idempotency_key=idempotency_key,
                dry_run=dry_run,
                claims=None if facts is None else [fact.claim() for fact in facts],
            )
        except SubjectRequired:
            if facts or not replied:
                raise
            return await _about_nobody(partial(finish, key=_turn_key(idempotency_key, conversation_id)))
    if not dry_run:
        await changed(ctx, remembered.subject.id)
    if replied:
        own = await _finished(ctx, remembered, finish, idempotency_key, conversation_id)
    else:
        own = {"block": await _block(ctx, memory, words, remembered)} if await asking() else {}
    return _told(remembered, echoed=words != text, **own)


def _asking(memory: Memory, words: str, beside: str) -> Callable[[], Awaitable[bool]]:
    """What tells whether these words, `beside` those that state facts, ask for something.

    It is found out while the words are stored; of a long text, when that was taken.
    """
    if not beside:
        return _nothing_asked
    if len(words) > memory.limits.text:
        return partial(memory.asks, beside)
    found = asyncio.create_task(memory.asks(beside))
    return lambda: found


async def _nothing_asked() -> bool:
    return False


def _beside(words: str, facts: FactsIn) -> str:
    """The words beside the quotes that the caller read as facts: those order nothing; empty if nothing is left."""
    for fact in facts or ():
        quote = fact.claim().evidence
        words = words.replace(quote, " ") if quote else words
    return words.strip() if any(map(str.isalnum, words)) else ""


def _replied(reply: str, *, role: str, conversation_id: str, dry_run: bool) -> str:
    """The reply without blocks of ours; empty where none was given, or none is to be kept."""
    if not reply.strip():
        return ""
    if not conversation_id.strip():
        raise InvalidInput("a reply makes a turn of a conversation; call again with its conversation_id")
    if role != "user":
        raise InvalidInput(f"a reply answers a user's words, not those of the role {role}; call again without it")
    replied = without_own_blocks(reply)
    if not replied:
        raise InvalidInput("the reply holds only a context block of this memory; call again with what you answered")
    return "" if dry_run else replied


async def _finished(
    ctx: Call, remembered: Remembered, finish: Callable[..., Awaitable[Finished]], same: str, conversation_id: str
) -> dict[str, object]:
    """What became of the turn; the words and their facts are stored by now, so that what may be tried is no error.

    Raises:
        ToolError: the caller's key `same` brought another reply before; trying again would not help.
    """
    about = remembered.subject
    key = _turn_key(same, about.uid, conversation_id, remembered.episode_id)
    try:
        finished = await finish(subject=about, shown_to=client_of(ctx), key=key)
    except KeyUsed as error:
        raise ToolError(f"The words are kept, the turn is not: {KeyUsed(same, what='replies')}.") from error
    except RMemoryError as error:
        return {"troubles": reasons({"turn": f"{error}; call again with the same text and reply"})}
    item = finished.item
    return {"turn": item.index, "objections": list(item.objections), "troubles": reasons(finished.troubles)}


def _turn_key(same: str, *parts: str) -> str:
    """What makes a turn the same when it is sent again: never one of another subject or conversation."""
    return f"turn.{hashlib.sha256(repr((*parts, same)).encode()).hexdigest()[:32]}" if same else ""


def _own_words(text: str, whose: str = "what somebody said") -> str:
    """The text without blocks of ours."""
    words = without_own_blocks(text)
    if text.strip() and not words:
        raise InvalidInput(f"the text holds only a context block of this memory; call again with {whose}")
    return words


def _told(remembered: Remembered, *, echoed: bool, **own: object) -> CallToolResult:
    """The outcome with its `own` fields, and a note if a block of ours was taken out.

    Shortened until it can be sent: what was not stored comes first; the block, never longer than a page, stays.
    """
    noted = replace(remembered, results=(*remembered.results, _ECHO)) if echoed else remembered
    result = RememberedOut.of(noted, **own)
    if not fits(result):
        urgent_first = sorted(result.results, key=lambda each: each.verdict in {"stored", "duplicate"})
        update = {"results": urgent_first, "conflicts": result.conflicts[:_CONFLICTS]}
        result = shortened(result.model_copy(update=update), "results")
    return answer(result)


async def _block(ctx: Call, memory: Memory, words: str, remembered: Remembered) -> str:
    """The context for a request that the words carry, with what they have just stated in it.

    The words are stored by now, so a recall that fails is said in the block's own place.
    """
    try:
        turn = await memory.build_turn(
            words, subject=remembered.subject, shown_to=client_of(ctx), max_chars=_BLOCK_CHARS, paged=True
        )
    except RMemoryError as error:
        return unavailable_block(str(error), memory.schema.unavailable)
    return turn.text if len(words) <= _REPEATED else turn.context


# --- a document ------------------------------------------------------------------------------------------------------


def _note(of: Progress) -> str:
    notes = [inert(of.trouble)] if of.trouble else []
    if not of.document.subject_uid:
        notes.append(_NOBODY)
    elif of.said_at == UNDATED and not of.already:
        notes.append(_UNDATED)
    elif of.said_at is not None:
        notes.append(f"Of {day_shown(of.said_at)}.")
    if of.already:
        notes.append("It was read before; nothing was done.")
    return " ".join(notes)


class IngestedOut(Out):
    """How far a document is read."""

    document_id: Annotated[str, From("document.id")]
    state: Annotated[Literal["done", "partial"], From("document.state")]
    next_part: int = Field(default=0, description="Call again with it, the rest unchanged.")
    parts: Annotated[int, From("document.parts")]
    stored: Annotated[int, From("facts.stored")] = Field(description="Facts stored by this call.")
    waits: Annotated[int, From("facts.waits")] = 0
    conflicts: Annotated[list[str], From("facts.conflicts", lambda ids: ids[:_CONFLICTS])] = []
    not_together: Annotated[list[str], From("standing", clashes_told)] = []
    note: Annotated[str, From(".", _note)] = ""


async def memory_ingest_document(
    ctx: Call,
    *,
    name: Annotated[str, Field(max_length=200, description="Its title.")],
    text: Annotated[str, Field(description="Its words, no path.")],
    subject: Subject = "",
    subject_name: SubjectName = "",
    said_at: Annotated[str, Field(max_length=40, description="Its day, unless it states it.")] = "",
    speaker: Annotated[str, Field(max_length=200, description="Author.")] = "",
    same_person: Annotated[bool, Field(description="Whoever it names.")] = False,
    start_part: Annotated[int, Field(ge=0, description="next_part.")] = 0,
) -> Annotated[CallToolResult, IngestedOut]:
    """Read a letter, report or book: its parts, the facts in them, summaries.

    Without a subject no facts. While `state` is partial, call again with next_part.
    """
    async with memory_for(ctx, saying(_BROKEN_OFF, declares=True)) as memory:
        if len(text) > LONGEST:
            told = f"the text has {len(text)} characters, at most {LONGEST} are taken; give it in several documents"
            raise InvalidInput(told)
        reading = read_text(_own_words(text, "the words of a document"), claimed(name) or "text")
        last: Progress | None = None
        async for report in memory.ingest(
            name,
            reading,
            subject=subject,
            subject_name=subject_name,
            said_at=day_from(said_at),
            speaker=speaker,
            same_person=same_person,
            start_part=start_part,
            limit_s=LIMIT_S,
        ):
            # Told once: a client may take a number that does not rise for an error.
            if last is None or report.done > last.done:
                await ctx.report_progress(report.done, report.steps)
            last = report
        if last is None:
            raise InvalidInput("the document gave no parts; report it")
    if last.document.subject_uid:
        await changed(ctx, unquote(last.document.subject_uid.rsplit("/", 1)[-1]))
    return answer(IngestedOut.of(last))
