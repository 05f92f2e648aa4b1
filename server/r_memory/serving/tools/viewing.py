"""Resources: what a host may show beside a conversation. Views of what the tools give, read only.

A subject's resources change with every write about it; `changed` says so to whoever listens.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from operator import not_
from typing import Annotated, Literal
from urllib.parse import quote

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources.types import FunctionResource
from pydantic import BaseModel, Field

from r_memory.domain.blocks import Recall
from r_memory.domain.instants import iso
from r_memory.errors import InvalidInput, RMemoryError
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory.serving.tools.calls import Call, SharedMemory, client_of, shared_by, shortened, text_of
from r_memory.serving.tools.describing import Part, described
from r_memory.serving.tools.errors import message_of
from r_memory.serving.tools.lookup import facts_of, history_of
from r_memory.serving.tools.models import (
    EventOut,
    From,
    Moment,
    Named,
    Numbers,
    Ours,
    Out,
    Reasons,
    Safe,
    SubjectCalled,
    SubjectId,
    Words,
    name_if_any,
    rounded,
)
from r_memory.serving.tools.skilled import skill
from r_memory.serving.tools.strict import StrictServer
from r_memory.text.inert import inert, inert_name
from r_memory.text.unavailable import unavailable_sentence

CONTEXT, FACTS = "rmemory://subject/{id}/context", "rmemory://subject/{id}/facts"
RECONCILED = "rmemory://subject/{id}/reconcile"
FACT = "rmemory://fact/{id}"
DECISIONS = "rmemory://conversation/{id}/decisions"
DOCUMENT = "rmemory://document/{id}"
RECEIPT = "rmemory://receipt/{id}"
_PARTS: dict[str, tuple[Part, str]] = {
    "schema": ("relations", "Relations and statuses"),
    "intents": ("intents", "Action types and the relations they read"),
    "health": ("health", "How the store is"),
}
_JSON = "application/json"
_DECISIONS = 2_000
"""Newest of the space among which those of a conversation are looked for."""
_CHARS = 20_000
"""Beyond them, lines below the critical ones are left out and counted."""
_EVERYTHING = "Everything that must be known."
"""Stands for a request where nobody asks for anything yet: it opens every row, and is not shown."""
_CANDIDATES = 10
"""Of a turn's decision that are told; the store keeps more."""
_DOCUMENT_LIMIT = 10_000
"""Characters of one summary of a document: all of it."""


class WeighedOut(Out):
    """A candidate of a turn, and in which form it stood in the context."""

    id: str
    score: Annotated[float, From(told=lambda score: round(score, 3))]
    scores: Annotated[Numbers, From("components", rounded)]
    form: Literal["raw", "summary", "dropped", "not_chosen"]
    tokens: int = 0


class GateOut(Out):
    """Whether memory was needed, and who said so."""

    yes: bool | None = None
    by: Words
    score: float | None = None
    trouble: Safe = ""


class DecisionOut(Out):
    """Everything decided for one turn of a conversation."""

    id: str
    subject: Annotated[str, From("subject_uid", name_if_any)] = Field(
        default="", description="Key of whom the conversation is about."
    )
    turn: int
    at: Moment
    profile: str
    gate: GateOut
    candidates: Annotated[list[WeighedOut], From(told=lambda best_first: best_first[:_CANDIDATES])] = []
    tokens: dict[str, int] = Field(default={}, description="Of each section.")
    tokens_before: int = 0
    full_history_tokens: int = 0
    summary_version: int = 0
    steps_ms: Numbers = {}
    parse_failures: int = 0
    failed: Reasons = {}
    flags: list[str] = []


class DecisionsOut(BaseModel):
    """What was decided in a conversation, newest first."""

    decisions: list[DecisionOut]
    omitted: int = 0


class VoiceOut(Out):
    """What one of the two voices says of a matter."""

    fact_id: str
    status: str
    words: Annotated[str, From("evidence", inert)]
    speaker: Named
    said_at: Moment = ""


class MatterOut(Out):
    """One matter: what was said of it beside what is recorded, and what to ask."""

    id: str
    outcome: Annotated[str, From("cell")]
    relation: str
    thing: Annotated[str, From(told=name_if_any)] = ""
    said: VoiceOut | None = None
    recorded: VoiceOut | None = None
    question: str = ""


class ReconciledOut(Out):
    """Every matter of one subject, the gravest first."""

    subject_id: SubjectId
    subject_name: SubjectCalled
    complete: Annotated[bool, From("failed", not_)]
    rows: list[MatterOut]
    omitted: Ours[int] = 0
    unread: Annotated[int, From("pending", len)] = 0
    failed: Reasons = {}


class SummaryItemOut(BaseModel):
    """A summary of a stretch of a document."""

    level: int
    source: str
    text: str


class DocumentOut(Out):
    """A document that was read, with its summaries, the one of the whole first."""

    document_id: Annotated[str, From("id")]
    name: Named
    state: Literal["partial", "done"]
    parts: int
    read: int
    theme: Words = ""
    flags: list[str] = []
    made_at: Moment
    summaries: Ours[list[SummaryItemOut]] = []
    omitted: Ours[int] = 0


def register(server: StrictServer) -> None:
    """Adds the resources; one of them is the skill."""
    for name, (part, title) in _PARTS.items():
        server.add_resource(
            FunctionResource(
                uri=f"rmemory://{name}", name=name, title=title, mime_type=_JSON, fn=partial(_part, server, part)
            )
        )
    server.add_resource(skill())
    add = server.resource
    add(CONTEXT, title="What must be known about a subject", mime_type="text/plain")(subject_context)
    add(FACTS, title="Everything recorded about a subject", mime_type=_JSON)(subject_facts)
    add(RECONCILED, title="What was said beside what is recorded, with questions", mime_type=_JSON)(subject_reconciled)
    add(FACT, title="One fact with its history and evidence", mime_type=_JSON)(fact)
    add(DECISIONS, title="What was decided for each turn of a conversation", mime_type=_JSON)(decisions)
    add(RECEIPT, title="What was shown, as it stood", mime_type="text/plain")(receipt)
    add(DOCUMENT, title="A document with its summaries", mime_type=_JSON)(document)


async def changed(ctx: Call, subject_id: str) -> None:
    """Tells those who listen to a subject's resources that these have changed."""
    for template in (CONTEXT, FACTS, RECONCILED):
        uri = template.replace("{id}", quote(subject_id, safe=""))
        await ctx.notify_resource_updated(uri)
        if uri in shared_by(ctx).watched:
            await ctx.session.send_resource_updated(uri)


async def subject_context(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """Every fact that speaks for a risk, and the outcome along every relation, as the block for a prompt."""
    async with _read(shared_by(ctx)) as memory:
        recall = await everything(memory, id, client_of(ctx), max_chars=_CHARS)
    if recall.unavailable:
        raise ResourceError(unavailable_sentence(recall.unavailable, recall.ask))
    return render(recall, with_query=False)


async def subject_facts(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """The first page of everything recorded about a subject; memory_list_facts gives the next ones."""
    async with _read(shared_by(ctx)) as memory:
        return text_of(await facts_of(memory, id, limit=memory.limits.page))


async def subject_reconciled(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """What was said about a subject beside what is recorded, the gravest first, as many rows as fit."""
    async with _read(shared_by(ctx)) as memory:
        told = ReconciledOut.of(await memory.reconcile(id))
        return text_of(shortened(told, "rows", room=_CHARS))


async def fact(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """One fact as it stands, and every event of it, oldest first."""
    async with _read(shared_by(ctx)) as memory:
        events = await memory.history(id)
        subject, found = await memory.find_fact(id)
        return text_of(history_of(subject, [found], [EventOut.of(event) for event in events], total=len(events)))


async def decisions(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """What the conversational memory decided for each turn, newest first: gate, candidates with scores, tokens.

    Of every conversation that has this name, about whomever it is; as many as fit.
    """
    async with _read(shared_by(ctx)) as memory:
        found = [
            each for each in await memory.talk.conversations.decisions(limit=_DECISIONS) if each.conversation == id
        ]
        if not found:
            raise InvalidInput("no decision about a conversation of this name; list them with completions")
        told = DecisionsOut(decisions=[DecisionOut.of(each) for each in found])
        return text_of(shortened(told, "decisions", room=_CHARS))


async def document(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """A document that was read: how far, and its summaries from the whole down to its blocks, as many as fit."""
    async with _read(shared_by(ctx)) as memory:
        found, levels = await memory.talk.documents.levels(id)
        summaries = [
            SummaryItemOut(level=level, source=inert_name(item.speaker), text=inert(item.observation, _DOCUMENT_LIMIT))
            for level in reversed(levels)
            for item in levels[level]
        ]
        return text_of(shortened(DocumentOut.of(found, summaries=summaries), "summaries", room=_CHARS))


async def receipt(id: str, ctx: Call) -> str:  # noqa: A002 - the name stands in the address
    """What a receipt keeps: when a block was shown to whom, and the block as it stood."""
    async with _read(shared_by(ctx)) as memory:
        found = await memory.facts.store.receipt(memory.facts.space, id)
        if found is None:
            raise InvalidInput("no receipt of this space has the id; take it from a block")
        shown = f"Receipt {found.id}: shown {iso(found.shown_at)} to {inert_name(found.shown_to)}."
        return f"{shown}\n{found.block or 'No block is kept.'}"


async def everything(memory: Memory, subject: str, reader: str, *, max_chars: int | None = None) -> Recall:
    """Returns a recall that opens every row, for a view without a request."""
    rows = memory.action_types
    return await memory.build_context(_EVERYTHING, subject=subject, intents=rows, shown_to=reader, max_chars=max_chars)


async def _part(server: StrictServer, part: Part) -> str:
    shared = server.shared
    if shared is None:
        raise ResourceError("the server is not running; start it and read again")
    async with _read(shared) as memory:
        return text_of(described(await memory.describe(), part))


@asynccontextmanager
async def _read(shared: SharedMemory) -> AsyncIterator[Memory]:
    """The memory, and errors as a reader of resources gets them."""
    try:
        yield await shared.of_caller()
    except InvalidInput as error:
        raise ResourceNotFoundError(message_of(error)) from error
    except RMemoryError as error:
        raise ResourceError(unavailable_sentence(str(error), shared.ask)) from error
