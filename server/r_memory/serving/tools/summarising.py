"""The tool that reads a conversation's running summary. No source of safety facts, and it says so.

Knows how versions are chosen and told; how a summary comes about is `talk/summary/`.
"""

from collections.abc import Sequence
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field, WithJsonSchema

from r_memory.domain.summaries import FIELDS, ConversationSummary
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.serving.tools.calls import Call, ConversationId, Subject, answer, fits, memory_for
from r_memory.serving.tools.models import From, Moment, Ours, Out, Words
from r_memory.text.inert import inert, inert_name

NOTE = "No source of safety facts: before acting call memory_build_context."
"""Stands in every result."""
_ENTRY = 1_000
"""Characters of an entry."""
_TURNS = 1_000
_NAMES = 8


def _sections(of: ConversationSummary) -> dict[str, str | list[str]]:
    """The fields that hold something, by name."""
    held = {name: getattr(of, name) for name in FIELDS}
    return {
        name: inert(value, _ENTRY) if isinstance(value, str) else [inert(entry, _ENTRY) for entry in value]
        for name, value in held.items()
        if value
    }


class SummaryOut(Out):
    """A conversation in short; never a source of safety facts."""

    sections: Annotated[dict[str, str | list[str]], WithJsonSchema({"type": "object"}), From("content", _sections)]
    covers_turns: Annotated[list[int], From("upto", lambda upto: [*range(max(1, upto - _TURNS + 1), upto + 1)])] = (
        Field(description="At most the newest 1000.")
    )
    stale: Ours[bool] = Field(description="There are later turns that it does not cover.")
    version: int = 0
    made_at: Moment = ""
    made_by: Words = ""
    omitted: Ours[int] = Field(default=0, description="Entries left out for length.")
    note: Ours[str]


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
    async with memory_for(ctx) as memory:
        return answer(await _summary(memory, conversation_id, subject, exclude_turns))


async def _summary(memory: Memory, conversation: str, subject: str, excluded: Sequence[int]) -> SummaryOut:
    about = await memory.find_subject(subject)
    conversations = memory.talk.conversations
    last = await conversations.turns(conversation, subject_uid=about.uid, last=1)
    if not last:
        names = await conversations.names(subject_uid=about.uid)
        known = ", ".join(map(inert_name, names[:_NAMES])) or "none yet"
        raise InvalidInput(
            f"this subject has no conversation '{inert_name(conversation)}'; use one of: {known}. "
            "A conversation begins with memory_remember and a reply"
        )
    newest = await conversations.summary(conversation, subject_uid=about.uid)
    if newest is not None and excluded:
        versions = await conversations.summaries(conversation, subject_uid=about.uid)
        newest = next((version for version in versions if version.upto < min(excluded)), None)
    wanted = [turn for turn in range(newest.upto + 1 if newest else 1, last[0].index + 1) if turn not in excluded]
    if newest is None:
        return SummaryOut(sections={}, covers_turns=[], stale=bool(wanted), note=NOTE)
    return _shortened(SummaryOut.of(newest, stale=bool(wanted), note=NOTE))


def _shortened(of: SummaryOut) -> SummaryOut:
    """The summary cut until it can be sent: the longest lists lose their later halves, and how much is said."""
    while not fits(of):
        lists = {name: value for name, value in of.sections.items() if isinstance(value, list)}
        longest = max(lists, key=lambda name: sum(map(len, lists[name])))
        kept = lists[longest][: len(lists[longest]) // 2]
        omitted = of.omitted + len(lists[longest]) - len(kept)
        of = of.model_copy(update={"sections": {**of.sections, longest: kept}, "omitted": omitted})
    return of
