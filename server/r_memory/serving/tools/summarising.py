"""The tool that reads a conversation's running summary. No source of safety facts, and it says so.

Knows how versions are chosen and told; how a summary comes about is `conversation/summary/`.
"""

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from r_memory.domain.instants import iso_seconds
from r_memory.domain.summaries import FIELDS, ConversationSummary, KeptSummary
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.serving.tools.answers import answer, fits
from r_memory.serving.tools.calls import Call, memory_of, shared_by
from r_memory.serving.tools.errors import reading
from r_memory.serving.tools.hints import READS
from r_memory.serving.tools.models import ConversationId, Subject, SummaryOut
from r_memory.serving.tools.opening import SharedMemory
from r_memory.text.inert import inert, inert_name

NOTE = "No source of safety facts: before acting call memory_build_context."
"""Stands in every result."""
_ENTRY = 1_000
"""Characters of an entry."""
_TURNS = 1_000
_NAMES = 8


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(
        memory_get_summary, title="Read a conversation's summary", annotations=READS, structured_output=True
    )


async def memory_get_summary(
    ctx: Call,
    *,
    conversation_id: ConversationId,
    subject: Subject = "",
    exclude_turns: Annotated[
        tuple[Annotated[int, Field(ge=1)], ...],
        Field(max_length=100, description="The summary as it was before the first of these turns."),
    ] = (),
) -> Annotated[CallToolResult, SummaryOut]:
    """Get the running summary of a conversation: needs, constraints, what was excluded, open questions.

    To take a conversation up again. No source of safety facts: memory_build_context is.
    """
    with reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        return answer(await _summary(memory, conversation_id, subject, exclude_turns))


async def _summary(memory: Memory, conversation: str, subject: str, excluded: Sequence[int]) -> SummaryOut:
    about = await memory.find_subject(subject)
    conversations = memory.talk.conversations
    last = await conversations.turns(conversation, subject_uid=about.uid, last=1)
    if not last:
        names = await conversations.names(subject_uid=about.uid)
        raise InvalidInput(_unknown(conversation, names))
    newest = await conversations.summary(conversation, subject_uid=about.uid)
    if newest is not None and excluded:
        versions = await conversations.summaries(conversation, subject_uid=about.uid)
        newest = next((version for version in versions if version.upto < min(excluded)), None)
    wanted = [turn for turn in range(newest.upto + 1 if newest else 1, last[0].index + 1) if turn not in excluded]
    return _shortened(_told(newest, stale=bool(wanted)))


def _unknown(conversation: str, names: Sequence[str]) -> str:
    known = ", ".join(inert_name(name) for name in names[:_NAMES]) or "none yet"
    return (
        f"this subject has no conversation '{inert_name(conversation)}'; use one of: {known}. "
        "A conversation begins with memory_remember and a reply"
    )


def _told(kept: KeptSummary | None, *, stale: bool) -> SummaryOut:
    if kept is None:
        return SummaryOut(sections={}, covers_turns=[], stale=stale, note=NOTE)
    return SummaryOut(
        sections=_sections(kept.content),
        covers_turns=list(range(max(1, kept.upto - _TURNS + 1), kept.upto + 1)),
        stale=stale,
        version=kept.version,
        made_at=iso_seconds(kept.made_at),
        made_by=inert(kept.made_by),
        note=NOTE,
    )


def _sections(of: ConversationSummary) -> dict[str, str | list[str]]:
    """The fields that hold something, by name."""
    told: dict[str, str | list[str]] = {}
    for name in FIELDS:
        value = getattr(of, name)
        if value:
            told[name] = inert(value, _ENTRY) if isinstance(value, str) else [inert(entry, _ENTRY) for entry in value]
    return told


def _shortened(of: SummaryOut) -> SummaryOut:
    """The summary cut until it can be sent: the longest lists lose their later halves, and how much is said."""
    while not fits(of):
        lists = {name: value for name, value in of.sections.items() if isinstance(value, list)}
        longest = max(lists, key=lambda name: sum(map(len, lists[name])))
        kept = lists[longest][: len(lists[longest]) // 2]
        omitted = of.omitted + len(lists[longest]) - len(kept)
        of = of.model_copy(update={"sections": {**of.sections, longest: kept}, "omitted": omitted})
    return of
