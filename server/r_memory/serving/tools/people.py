"""The tool that says whom this memory knows: everybody, those found by id, name or alias, or of whom something waits.

Knows nothing of what is recorded about them.
"""

import re
from typing import Annotated

from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from r_memory.errors import InvalidInput
from r_memory.facts.people import Known, KnownPage
from r_memory.serving.tools.calls import MAX_RESULT, Call, Cursor, answer, fitting, memory_for
from r_memory.text.inert import inert, inert_name

_LIST = "people-"
"""What cursors of the list begin with."""
_ROOM = MAX_RESULT - 1_000
"""Characters for the people of a page."""


class KnownOut(BaseModel):
    """Somebody known."""

    id: str
    name: str
    aliases: list[str] = Field(default=[], description="What they are called, and by whom.")
    waits: int = Field(default=0, description="Statements that wait to be understood.")
    failed: str = Field(default="", description="Why the rest could not be read.")


class PeopleOut(BaseModel):
    """A page of people."""

    people: list[KnownOut]
    total: int
    next_cursor: str = ""


async def memory_subjects(
    ctx: Call,
    *,
    query: Annotated[str, Field(max_length=200, description="Id, name or alias.")] = "",
    waiting: Annotated[bool, Field(description="Only of whom something waits.")] = False,
    cursor: Cursor = "",
) -> Annotated[CallToolResult, PeopleOut]:
    """List known people, or find them."""
    async with memory_for(ctx) as memory:
        return answer(_out(await memory.known(query, waiting=waiting, start=_place(cursor))))


def _place(cursor: str) -> int:
    """Where the page of a cursor begins."""
    found = re.fullmatch(rf"{_LIST}([0-9]{{1,9}})", cursor or f"{_LIST}0")
    if found is None:
        raise InvalidInput("the cursor is not one of this list; start again without it, or use next_cursor as it came")
    return int(found[1])


def _out(page: KnownPage) -> PeopleOut:
    """The page, as much of it as can be sent."""
    people = [_known(person) for person in page.people]
    kept = fitting(people, room=_ROOM)
    following = page.following if kept == len(people) else page.people[kept].place
    return PeopleOut(people=people[:kept], total=page.total, next_cursor=f"{_LIST}{following}" if following else "")


def _known(one: Known) -> KnownOut:
    called = [inert_name(f"{alias} (by {who})" if who else alias) for alias, who in one.aliases]
    return KnownOut(
        id=inert_name(one.subject.id),
        name=inert_name(one.subject.name),
        aliases=called[:20],
        waits=one.waits,
        failed=inert(one.failed),
    )
