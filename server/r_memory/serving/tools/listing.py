"""The tool that lists: everything recorded about somebody, complete and unranked, or the history of one fact."""

from collections.abc import Sequence
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import Field

from r_memory.domain.blocks import State
from r_memory.domain.facts import Entity, Fact
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant, parse_instant
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.serving.tools.calls import (
    HISTORY,
    MAX_RESULT,
    Call,
    Cursor,
    Name,
    Subject,
    answer,
    fits,
    fitting,
    memory_for,
    page_of,
)
from r_memory.serving.tools.models import EventOut, FactOut, FactsOut, counts
from r_memory.text.inert import inert_name

_ROOM = MAX_RESULT - 6_000
"""Characters for the items of a page, beside the counts by relation and the subject."""


async def memory_list_facts(
    ctx: Call,
    *,
    subject: Subject = "",
    relations: Annotated[tuple[Name, ...], Field(max_length=50, description="Only these; empty: all.")] = (),
    statuses: Annotated[
        tuple[Name, ...], Field(max_length=6, description="Only these; empty: all but entered_in_error.")
    ] = (),
    fact_id: Annotated[
        str, Field(max_length=36, description="The history of this fact instead; 8 digits suffice.")
    ] = "",
    as_of: Annotated[str, Field(max_length=40, description='As known then: ISO-8601 time with zone; "": now.')] = "",
    limit: Annotated[int, Field(ge=1, le=50, description="Most items on a page.")] = 50,
    cursor: Cursor = "",
) -> Annotated[CallToolResult, FactsOut]:
    """List every recorded fact ({topics}…) about somebody, complete and unranked.

    For review, now or as known at an instant, and for one fact's history with the words behind each change. Read
    on with next_cursor until it is empty. An empty list is no proof of absence.
    """
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
    """A page, shortened until it can be sent whole."""

    async def page(size: int) -> FactsOut:
        found = await memory.list_facts(
            subject=subject, relations=relations, statuses=statuses, as_of=as_of, limit=size, cursor=cursor
        )
        return FactsOut.of(found)

    whole = await page(limit)
    return whole if fits(whole) else await page(fitting(whole.facts, room=_ROOM))


async def _history(
    memory: Memory, subject: str, fact_id: str, *, as_of: Instant | None, limit: int, cursor: str
) -> FactsOut:
    about = (await memory.list_facts(subject=subject, limit=1)).subject
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
    return FactsOut(
        state=State.FOUND.value,
        complete=True,
        facts=[FactOut.of(each) for each in facts],
        history=list(events),
        counts=counts({each.relation: 1 for each in facts}, {}),
        total=total,
        next_cursor=next_cursor,
        subject_id=inert_name(subject.id),
        subject_name=inert_name(subject.name),
    )
