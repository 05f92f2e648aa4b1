"""The tools that look things up: everything recorded about somebody, complete and unranked, or the history of one fact;
a search of what was said; and a conversation's running summary.

Search ranks, so it can miss, and a summary is short: both say in every result that they are no source of safety.
Whatever must not be missed is read by `recalling.py`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BaseModel, Field, WithJsonSchema

from r_memory.domain.facts import Entity, Fact
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant, parse_instant
from r_memory.domain.summaries import FIELDS, ConversationSummary
from r_memory.errors import InvalidInput
from r_memory.facts.listing import FactPage
from r_memory.memory import Memory
from r_memory.serving.tools.calls import (
    HISTORY,
    LIST,
    MAX_RESULT,
    WAITING,
    Call,
    ConversationId,
    Cursor,
    Name,
    Subject,
    answer,
    fits,
    length,
    memory_for,
    page_of,
)
from r_memory.serving.tools.hits import HitOut, hits_of
from r_memory.serving.tools.models import EventOut, FactOut, FactsOut, From, Moment, Ours, Out, PendingOut, Words
from r_memory.text.inert import inert, inert_name

_ROOM = MAX_RESULT - 6_000
"""Characters for the items of a page, beside the counts by relation and the subject."""


async def memory_list_facts(
    ctx: Call,
    *,
    subject: Subject = "",
    relations: Annotated[tuple[Name, ...], Field(max_length=50, description="Only these.")] = (),
    statuses: Annotated[tuple[Name, ...], Field(max_length=6, description="Empty: all but entered_in_error.")] = (),
    fact_id: Annotated[str, Field(max_length=36, description="Its history instead; 8 digits suffice.")] = "",
    as_of: Annotated[str, Field(max_length=40, description="As known then: ISO-8601 with zone.")] = "",
    limit: Annotated[int, Field(ge=1, le=50, description="Most.")] = 50,
    cursor: Cursor = "",
) -> Annotated[CallToolResult, FactsOut]:
    """List every recorded fact about somebody, complete and unranked."""
    async with memory_for(ctx) as memory:
        instant = parse_instant(as_of) if as_of else None
        if fact_id:
            return answer(await _history(memory, subject, fact_id, as_of=instant, limit=limit, cursor=cursor))
        return answer(await facts_of(memory, subject, relations, statuses, as_of=instant, limit=limit, cursor=cursor))


async def facts_of(
    memory: Memory,
    subject: str,
    relations: Sequence[str] = (),
    statuses: Sequence[str] = (),
    *,
    as_of: Instant | None = None,
    limit: int,
    cursor: str = "",
) -> FactsOut:
    """A page of what is recorded, as much as can be sent: the facts, and behind the last of them what waits unread."""
    found = await memory.list_facts(subject=subject, relations=relations, statuses=statuses, as_of=as_of)
    found = replace(found, pending=await memory.facts.lists.waiting(found.subject, found.pending))
    facts: list[FactOut] = []
    following = f"{WAITING}-0"
    if not cursor.startswith(WAITING):
        facts, following = page_of(found.facts, FactOut.of, cursor, LIST, limit=limit, room=_ROOM)
        following = following or f"{WAITING}-0"
        cursor = following
    waiting: list[PendingOut] = []
    room = _ROOM - sum(map(length, facts))
    if following.startswith(WAITING) and len(facts) < limit:
        waiting, following = page_of(
            found.pending, PendingOut.of, cursor, WAITING, limit=limit - len(facts), room=room, fewest=int(not facts)
        )
    elif following.startswith(WAITING) and not found.pending:
        following = ""
    return FactsOut.of(found, facts=facts, pending=waiting, total=len(found.facts), next_cursor=following)


async def _history(
    memory: Memory, subject: str, fact_id: str, *, as_of: Instant | None, limit: int, cursor: str
) -> FactsOut:
    about = await memory.find_subject(subject)
    events = [
        event
        for event in await memory.history(fact_id)
        if event.subject_uid == about.uid and (as_of is None or event.recorded_at <= as_of)
    ]
    if not events:
        raise InvalidInput(f"this subject has no fact '{fact_id}'; call without fact_id and take an id from the list")
    shown, following = page_of(events, EventOut.of, cursor, HISTORY, limit=limit, room=_ROOM)
    facts = fold_all(events, scale=memory.schema.severity.grades)
    return history_of(about, facts, shown, total=len(events), next_cursor=following)


def history_of(
    subject: Entity, facts: Sequence[Fact], events: Sequence[EventOut], *, total: int, next_cursor: str = ""
) -> FactsOut:
    """A page of the history of one fact, with the fact as the events make it."""
    page = FactPage(subject=subject, facts=tuple(facts), counts={each.relation: 1 for each in facts}, failed={})
    shown = [FactOut.of(each) for each in facts]
    return FactsOut.of(page, facts=shown, history=list(events), total=total, next_cursor=next_cursor)


# --- a search --------------------------------------------------------------------------------------------------------


Kind = Literal["fact", "statement", "turn", "medium", "long", "document"]
MISSES = "Ranked, so it can miss. Before acting call memory_build_context, which is complete."
"""Stands in every result."""
_FRAME = 1_000
"""Characters kept for what surrounds the hits of a page."""


class SearchOut(BaseModel):
    """A page of hits, best first."""

    hits: list[HitOut]
    total: int
    next_cursor: str
    note: str
    trouble: str = Field(default="", description="Why only words were compared.")


async def memory_search(
    ctx: Call,
    *,
    query: Annotated[str, Field(min_length=1, max_length=200, description="What to look for.")],
    subject: Subject = "",
    kinds: Annotated[tuple[Kind, ...], Field(max_length=6, description="Only these.")] = (),
    profile: Annotated[str, Field(max_length=64, description="Ranking.")] = "default",
    limit: Annotated[int, Field(ge=1, le=50, description="Most.")] = 10,
    cursor: Cursor = "",
) -> Annotated[CallToolResult, SearchOut]:
    """Search what was said, documents and facts about somebody, the best first.

    It can miss: for safety call memory_build_context.
    """
    async with memory_for(ctx) as memory:
        hits, trouble = await hits_of(memory, query, subject, kinds, profile)
        # Tells one search from another, so that no cursor pages through the wrong one.
        asked = repr((query, subject, kinds, profile))
        list_ = f"search-{hashlib.sha256(asked.encode()).hexdigest()[:12]}"
        page, following = page_of(hits, lambda hit: hit, cursor, list_, limit=limit, room=MAX_RESULT - _FRAME)
    return answer(SearchOut(hits=page, total=len(hits), next_cursor=following, note=MISSES, trouble=inert(trouble)))


# --- a summary -------------------------------------------------------------------------------------------------------


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
        Field(max_length=100, description="As before these turns."),
    ] = (),
) -> Annotated[CallToolResult, SummaryOut]:
    """Get the running summary of a conversation."""
    async with memory_for(ctx) as memory:
        return answer(await _summary(memory, conversation_id, subject, exclude_turns))


async def _summary(memory: Memory, conversation: str, subject: str, excluded: Sequence[int]) -> SummaryOut:
    named = subject or memory.facts.subjects.single
    about = await memory.find_subject(subject) if named else None
    uid = about.uid if about is not None else ""
    conversations = memory.talk.conversations
    last = await conversations.turns(conversation, subject_uid=uid, last=1)
    if not last:
        names = await conversations.names(subject_uid=uid) if uid else ()
        whose = "this subject has" if uid else "about nobody there is"
        known = ", ".join(map(inert_name, names[:_NAMES])) or "none yet"
        raise InvalidInput(
            f"{whose} no conversation '{inert_name(conversation)}'; use one of: {known}. "
            "A conversation begins with memory_remember and a reply"
        )
    newest = await conversations.summary(conversation, subject_uid=uid)
    if newest is not None and excluded:
        versions = await conversations.summaries(conversation, subject_uid=uid)
        newest = next((version for version in versions if version.upto < min(excluded)), None)
    wanted = [turn for turn in range(newest.upto + 1 if newest else 1, last[0].index + 1) if turn not in excluded]
    if newest is None:
        return SummaryOut(sections={}, covers_turns=[], stale=bool(wanted), note=NOTE)
    withdrawn = await memory.talk.withdrawn(about, conversation)
    newest = replace(newest, content=withdrawn.summary(newest.content))
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
