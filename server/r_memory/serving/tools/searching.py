"""The tool that searches what was said.

It ranks, so it can miss; it says so in its description and in every result. Whatever must not be missed is read by
`recalling.py`.
"""

import hashlib
from typing import Annotated, Literal

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from r_memory.serving.tools.answers import MAX_RESULT, answer, fitting
from r_memory.serving.tools.calls import Call, memory_of, shared_by
from r_memory.serving.tools.errors import reading
from r_memory.serving.tools.hints import READS
from r_memory.serving.tools.hits import hits_of
from r_memory.serving.tools.models import Profile, SearchOut, Subject
from r_memory.serving.tools.opening import SharedMemory
from r_memory.serving.tools.paging import cursor_at, position_of
from r_memory.text.inert import inert

Kind = Literal["fact", "turn", "medium", "long", "document"]
MISSES = "Ranked, so it can miss. Before acting call memory_build_context, which is complete."
"""Stands in every result."""
_FRAME = 1_000
"""Characters kept for what surrounds the hits of a page."""


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(memory_search, title="Search what was said", annotations=READS, structured_output=True)


async def memory_search(
    ctx: Call,
    *,
    query: Annotated[str, Field(min_length=1, max_length=200, description="What to look for.")],
    subject: Subject = "",
    kinds: Annotated[tuple[Kind, ...], Field(max_length=5, description="Only these; empty: all.")] = (),
    profile: Profile = "default",
    limit: Annotated[int, Field(ge=1, le=50, description="Most hits on a page.")] = 10,
    cursor: Annotated[str, Field(max_length=200, description="next_cursor of the page before.")] = "",
) -> Annotated[CallToolResult, SearchOut]:
    """Search what was said earlier, documents and facts about somebody, the best first.

    It can miss: never use it for safety, memory_build_context is the complete way. Hits of the kind `fact` are
    recorded, all others were only said.
    """
    with reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        list_ = f"search {_digest(query, subject, kinds, profile)}"
        start = position_of(cursor, list_)
        hits, trouble = await hits_of(memory, query, subject, kinds, profile)
    page = hits[start : start + limit]
    page = page[: fitting(page, room=MAX_RESULT - _FRAME)]
    following = start + len(page)
    return answer(
        SearchOut(
            hits=list(page),
            total=len(hits),
            next_cursor=cursor_at(following, list_) if following < len(hits) else "",
            note=MISSES,
            trouble=inert(trouble),
        )
    )


def _digest(*parts: object) -> str:
    """Tells one search from another, so that no cursor pages through the wrong one."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]
