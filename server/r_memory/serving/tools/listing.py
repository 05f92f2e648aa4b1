"""The tool that lists: everything recorded about somebody, complete and unranked, or the history of one fact."""

from collections.abc import Sequence
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Instant, parse_instant
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.serving.tools import shaping
from r_memory.serving.tools.answers import MAX_RESULT, answer, fits, fitting
from r_memory.serving.tools.calls import Call, memory_of, shared_by
from r_memory.serving.tools.errors import reading
from r_memory.serving.tools.hints import READS
from r_memory.serving.tools.models import FactsOut, Name, Subject
from r_memory.serving.tools.opening import SharedMemory
from r_memory.serving.tools.paging import cursor_at, position_of

_FRAME = 6_000
"""Characters kept for what surrounds the items of a page: counts by relation and the subject."""


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(memory_list_facts, title="List facts and history", annotations=READS, structured_output=True)


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
    cursor: Annotated[str, Field(max_length=200, description="next_cursor of the page before.")] = "",
) -> Annotated[CallToolResult, FactsOut]:
    """List every recorded fact ({topics}…) about somebody, complete and unranked.

    For review, now or as known at an instant, and for one fact's history with the words behind each change. Read
    on with next_cursor until it is empty. An empty list is no proof of absence.
    """
    with reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        instant = parse_instant(as_of) if as_of else None
        if fact_id:
            return answer(await _history(memory, subject, fact_id, as_of=instant, limit=limit, cursor=cursor))
        return answer(await facts_of(memory, subject, relations, statuses, as_of=instant, limit=limit, cursor=cursor))


async def facts_of(
    memory: Memory,
    subject: str,
    relations: Sequence[str],
    statuses: Sequence[str],
    *,
    as_of: Instant | None,
    limit: int,
    cursor: str,
) -> FactsOut:
    """A page, shortened until it can be sent whole."""

    async def page(size: int) -> FactsOut:
        found = await memory.list_facts(
            subject=subject, relations=relations, statuses=statuses, as_of=as_of, limit=size, cursor=cursor
        )
        return shaping.page(found)

    whole = await page(limit)
    return whole if fits(whole) else await page(fitting(whole.facts, room=MAX_RESULT - _FRAME))


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
    start = position_of(cursor)
    shown = [shaping.event(event) for event in events[start : start + limit]]
    shown = shown[: fitting(shown, room=MAX_RESULT - _FRAME)]
    following = start + len(shown)
    return shaping.history(
        about,
        fold_all(events, scale=memory.schema.severity.grades),
        shown,
        total=len(events),
        next_cursor=cursor_at(following) if following < len(events) else "",
    )
