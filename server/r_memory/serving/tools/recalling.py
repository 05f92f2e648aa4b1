"""The tools that read before an answer: every fact that bears on a request, and the block that carries them; and
whether a draft names something that a recorded fact stands against.

Of a conversation they know only where its parts stand: behind the facts, which are never cut for them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from mcp.server.mcpserver import ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from r_memory.domain.blocks import Judgement
from r_memory.domain.turns import Part, TurnContext
from r_memory.errors import InvalidInput
from r_memory.facts.recall.judged import JUDGEMENTS_LIMIT
from r_memory.facts.recall.rendering import fitted, lines_within
from r_memory.serving.tools.calls import (
    MAX_RESULT,
    About,
    AnySubject,
    Call,
    ConversationId,
    Name,
    Profile,
    Subject,
    Subjects,
    answer,
    client_of,
    first_that_fits,
    memory_for,
    shortened,
)
from r_memory.serving.tools.models import CheckOut, ContextOut, SectionOut, household_out, reasons
from r_memory.serving.tools.showing import with_receipt
from r_memory.serving.tools.whose import WhoseAnswer, as_chosen, chosen, whose_draft, whose_request
from r_memory.text.inert import inert_name
from r_memory.text.unavailable import unavailable_sentence

Section = Literal["scene", "summary", "memory", "previous"]
_FACT_LIMIT, _WHY_LIMIT = 2_000, 2_000
_LEAST_FIRST = (Part.MEMORY, Part.PREVIOUS, Part.SCENE, Part.SUMMARY)
"""In which order sections go when a result is too long (memory-systems 6)."""
_CHARS_PER_TOKEN = 4
_DEFAULT_TOKENS = 1_200
_NO_CONVERSATION = "sections are parts of a conversation; call again with its conversation_id, or without them"
_OF_ONE = (
    "its turns are kept apart for each person: for those of one, call again with that subject and this conversation_id"
)
_IN_BLOCK = "too many for one result: all of them stand in block, and memory_list_facts gives facts page by page"
_TOO_LONG = "too long for one result beside the facts; call again with fewer sections or a smaller max_tokens"


async def memory_build_context(
    ctx: Call,
    whose: Annotated[ElicitationResult[WhoseAnswer], Resolve(whose_request)],
    *,
    query: Annotated[str, Field(description="The request, unchanged.")],
    subject: AnySubject = "",
    subjects: Subjects = (),
    intents: Annotated[
        tuple[Name, ...],
        Field(max_length=20, description="More action types."),
    ] = (),
    about: About = (),
    conversation_id: ConversationId = "",
    sections: Annotated[tuple[Section, ...], Field(max_length=4, description="Empty: all.")] = (),
    scene: Annotated[str, Field(max_length=1_200, description="Surroundings.")] = "",
    profile: Profile = "default",
    max_tokens: Annotated[int, Field(ge=0, le=6_000, description="Never cuts critical lines. 0: 1200.")] = 0,
    detail: Annotated[bool, Field(description="Add its data.")] = False,
) -> Annotated[CallToolResult, ContextOut]:
    """Recall {topics} and every other recorded fact that bears on a request.

    Call it before ordering, advising or answering about somebody; read `block`, then answer. With conversation_id,
    earlier turns that matter follow; without a subject then, no facts are read.
    """
    made: list[tuple[TurnContext, CallToolResult]] = []
    async with memory_for(ctx) as memory:
        if sections and not conversation_id:
            raise InvalidInput(_NO_CONVERSATION)
        whom = _several(subject, subjects) if subjects else ()
        if len(whom) > 1 or (whom and not conversation_id):
            household = partial(memory.build_contexts, query, subjects=whom, intents=intents, about=about)
            room = max_tokens * _CHARS_PER_TOKEN or None
            out = household_out(await household(shown_to=client_of(ctx), max_chars=room))
            aside = reasons({"conversation": _OF_ONE} if conversation_id else {})
            return answer(out.model_copy(update={"failed": {**out.failed, **aside}}))
        turn = await memory.build_turn(
            query,
            subject=whom[0] if whom else chosen(whose, subject),
            conversation_id=conversation_id,
            intents=intents,
            about=about,
            sections=sections or None,
            # What the installation is set to, unless the caller names another.
            profile="" if profile == "default" else profile,
            max_tokens=max_tokens or None,
            scene=scene,
            shown_to=client_of(ctx),
            max_chars=(max_tokens or _DEFAULT_TOKENS) * _CHARS_PER_TOKEN,
            paged=True,
            meanwhile=lambda turn: made.append((turn, _whole(turn, detail=detail))),
        )
        if turn.recall is not None:
            recall = turn.recall if whom else await as_chosen(memory, turn.recall, chosen(whose, subject), subject)
            if recall is not turn.recall:
                recall, block = fitted(recall, None, paged=True)
                turn = replace(turn, recall=recall, block=block)
    if turn.recall is not None and turn.recall.unavailable:
        raise ToolError(unavailable_sentence(turn.recall.unavailable, turn.recall.ask))
    result = next((whole for drawn_up, whole in made if drawn_up is turn), None) or _whole(turn, detail=detail)
    return with_receipt(ctx, result, turn.recall.receipt_id if turn.recall is not None else "")


class JudgementIn(BaseModel):
    """What the caller thinks of a recorded fact beside a draft."""

    model_config = ConfigDict(extra="forbid")

    fact: str = Field(min_length=1, max_length=_FACT_LIMIT)
    verdict: Literal["conflict", "bears", "apart"]
    why: str = Field(default="", max_length=_WHY_LIMIT)

    def judgement(self) -> Judgement:
        """The judgement as the memory takes it."""
        return Judgement(**dict(self))


_FORM = {
    "type": "object",
    "properties": {
        "fact": {"type": "string", "description": "Id or words."},
        "verdict": {
            "enum": ["conflict", "bears", "apart"],
            "description": "bears: ask or do something first; apart: lowers what only words say.",
        },
        "why": {"type": "string", "description": "Short."},
    },
    "required": ["fact", "verdict", "why"],
    "additionalProperties": False,
}
JudgedIn = Annotated[
    tuple[JudgementIn, ...],
    Field(max_length=JUDGEMENTS_LIMIT),
    # Listed without bounds and titles: lists of tools are short of room.
    WithJsonSchema({"type": "array", "items": _FORM}),
    Field(description="Your view of facts and unknown words."),
]


async def memory_check_text(
    ctx: Call,
    whose: Annotated[ElicitationResult[WhoseAnswer], Resolve(whose_draft)],
    *,
    text: Annotated[str, Field(description="The draft.")],
    subject: Subject = "",
    subjects: Subjects = (),
    about: About = (),
    judged: JudgedIn = (),
) -> Annotated[CallToolResult, CheckOut]:
    """Check a draft against everything recorded.

    `conflict`: a critical fact stands against it; `warning`: look at it; `not_checkable`: ask
    about its `gaps`; `nothing_found` is not "safe".
    """
    views = [item.judgement() for item in judged]
    async with memory_for(ctx) as memory:
        if subjects:
            several = _several(subject, subjects)
            household = partial(memory.check_texts, text, subjects=several, about=about, judged=views)
            return answer(shortened(CheckOut.of(await household(shown_to=client_of(ctx))), "findings"))
        alone = partial(memory.check_text, text, subject=chosen(whose, subject), about=about, judged=views)
        checked = await alone(shown_to=client_of(ctx))
        checked = replace(checked, recall=await as_chosen(memory, checked.recall, chosen(whose, subject), subject))
    if checked.recall.unavailable:
        raise ToolError(unavailable_sentence(checked.recall.unavailable, checked.recall.ask))
    return answer(shortened(CheckOut.of(checked), "findings"))


def _several(subject: str, subjects: Sequence[str]) -> Sequence[str]:
    """All whom a call names, each once."""
    return tuple(dict.fromkeys((*([subject] if subject else []), *subjects)))


def _whole(turn: TurnContext, *, detail: bool) -> CallToolResult:
    """Everything; or without the query text that was run; or without the request at its end; or with fewer parts of the
    conversation, which is then said; or with fewer rules and facts listed beside the block; at last with as many lines
    of the block as fit. An answer there is always.
    """
    if (whole := first_that_fits(_shapes(turn, detail=detail))) is not None:
        return whole
    return answer(_first_lines(turn))


def _shapes(turn: TurnContext, *, detail: bool) -> Iterator[ContextOut]:
    """The result, then shorter ones."""
    full = _context_out(turn, detail=detail)
    yield full
    if full.traversal:
        yield full.model_copy(update={"traversal": ""})
    left_out: dict[str, str] = {}
    lean = partial(_lean, detail=detail)
    yield lean(turn, left_out)
    for part in _LEAST_FIRST:
        if turn.prepared is None or all(section.part is not part for section in turn.prepared.sections):
            continue
        left_out[part.value] = _TOO_LONG
        kept = tuple(section for section in turn.prepared.sections if section.part is not part)
        turn = replace(turn, prepared=replace(turn.prepared, sections=kept))
        yield lean(turn, left_out)
    if turn.recall is not None and detail:
        short = lean(turn, left_out)
        yield _with_fewer(short, "rules")
        yield _with_fewer(_with_fewer(short, "rules"), "lines")
    yield _lean(turn, left_out, detail=False)


def _first_lines(turn: TurnContext) -> ContextOut:
    """The block as far as it goes, alone."""
    about = inert_name(turn.recall.subject.id) if turn.recall else ""
    more = f"more lines: before acting call memory_list_facts with subject '{about}' and read every page"
    shape = _context_out(turn, detail=False)
    # Where each character takes two, as quotation marks do.
    block = lines_within(turn.block, MAX_RESULT // 3, more)
    failed = {**shape.failed, "block": _TOO_LONG, "conversation": _TOO_LONG}
    update = {"fact_ids": [], "sections": [], "complete": False, "block": block, "failed": failed}
    return shape.model_copy(update=update)


def _with_fewer(shape: ContextOut, part: Literal["rules", "lines"]) -> ContextOut:
    """With every rule and fact in the block, and as many of one kind listed beside it as there is room for."""
    return shortened(shape.model_copy(update={"failed": {**shape.failed, part: _IN_BLOCK}}), part, counted="")


def _lean(turn: TurnContext, left_out: Mapping[str, str], *, detail: bool) -> ContextOut:
    """Without the query that was run, and without the request: a long one is not repeated to whoever sent it."""
    shape = _context_out(turn, detail=detail)
    return shape.model_copy(update={"traversal": "", "block": turn.context, "failed": {**shape.failed, **left_out}})


def _context_out(turn: TurnContext, *, detail: bool) -> ContextOut:
    """A recall with the parts of a conversation, which stand in the block behind the facts."""
    if turn.recall is None:
        facts = ContextOut.about_nobody(state="NOT-ASKED", block=turn.text)
    else:
        facts = (ContextOut.of if detail else ContextOut.brief)(turn.recall, block=turn.text)
    if turn.prepared is None:
        return facts.model_copy(update={"failed": reasons({"conversation": turn.trouble} if turn.trouble else {})})
    parts = [SectionOut(part=section.part.value, tokens=section.tokens) for section in turn.prepared.sections]
    return facts.model_copy(update={"sections": parts, "failed": reasons(turn.prepared.failed)})
