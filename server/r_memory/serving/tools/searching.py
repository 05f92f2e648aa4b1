"""The tool that searches what was said.

It ranks, so it can miss; it says so in its description and in every result. Whatever must not be missed is read by
`recalling.py`.
"""

import hashlib
from typing import Annotated, Literal

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from r_memory.serving.tools.calls import MAX_RESULT, Call, Cursor, Profile, Subject, answer, memory_for, page_of
from r_memory.serving.tools.hits import HitOut, hits_of
from r_memory.text.inert import inert

Kind = Literal["fact", "turn", "medium", "long", "document"]
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
    kinds: Annotated[tuple[Kind, ...], Field(max_length=5, description="Only these; empty: all.")] = (),
    profile: Profile = "default",
    limit: Annotated[int, Field(ge=1, le=50, description="Most hits on a page.")] = 10,
    cursor: Cursor = "",
) -> Annotated[CallToolResult, SearchOut]:
    """Search what was said earlier, documents and facts about somebody, the best first.

    It can miss: never use it for safety, memory_build_context is the complete way. Hits of the kind `fact` are
    recorded, all others were only said.
    """
    async with memory_for(ctx) as memory:
        hits, trouble = await hits_of(memory, query, subject, kinds, profile)
        # Tells one search from another, so that no cursor pages through the wrong one.
        asked = repr((query, subject, kinds, profile))
        list_ = f"search {hashlib.sha256(asked.encode()).hexdigest()[:12]}"
        page, following = page_of(hits, lambda hit: hit, cursor, list_, limit=limit, room=MAX_RESULT - _FRAME)
    return answer(SearchOut(hits=page, total=len(hits), next_cursor=following, note=MISSES, trouble=inert(trouble)))
