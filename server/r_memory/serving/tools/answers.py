"""How a result leaves: the same compact data in both channels, never longer than a host passes on whole, page by page.

Knows models and lengths; nothing of what they say.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from r_memory.errors import InvalidInput

MAX_RESULT = 24_000
"""Characters of a result; longer ones are cut by hosts, in the middle of a risk."""
HISTORY = "history"
T = TypeVar("T")
Item = TypeVar("Item", bound=BaseModel)


def answer(result: BaseModel) -> CallToolResult:
    """The result as structured content, and as its JSON text for hosts that show only that.

    Fields that hold their default are left out: absent means none.
    """
    content = result.model_dump(mode="json", exclude_defaults=True)
    return CallToolResult(content=[TextContent(type="text", text=_text(content))], structured_content=content)


def length(result: BaseModel) -> int:
    """Characters of the result as it is sent."""
    return len(_text(result.model_dump(mode="json", exclude_defaults=True)))


def fits(result: BaseModel) -> bool:
    """Whether the result can be sent whole."""
    return length(result) <= MAX_RESULT


def fitting(items: Sequence[BaseModel], *, room: int) -> int:
    """How many of the first items fit into so many characters; at least one, so that a list always ends."""
    taken = 0
    for count, item in enumerate(items):
        taken += length(item) + 1
        if taken > room and count:
            return count
    return len(items)


def page_of(
    values: Sequence[T], shape: Callable[[T], Item], cursor: str, of: str, *, limit: int, room: int
) -> tuple[list[Item], str]:
    """The part of the list that a cursor leads to, in shape, as much as is asked for and fits; and the next cursor.

    Raises:
        InvalidInput: not a cursor of this list.
    """
    start = position_of(cursor, of)
    page = [shape(value) for value in values[start : start + limit]]
    page = page[: fitting(page, room=room)]
    following = start + len(page)
    return page, cursor_at(following, of) if following < len(values) else ""


def cursor_at(position: int, of: str = HISTORY) -> str:
    """A cursor for the page that begins at this item of a list; it means nothing to whoever carries it."""
    return base64.urlsafe_b64encode(f"{of}:{position}".encode()).decode()


def position_of(cursor: str, of: str = HISTORY) -> int:
    """Where the page begins; 0 for an empty cursor.

    >>> position_of(cursor_at(50))
    50

    Raises:
        InvalidInput: not a cursor of this list.
    """
    if not cursor:
        return 0
    try:
        name, _, digits = base64.urlsafe_b64decode(cursor).rpartition(b":")
    except (binascii.Error, ValueError):
        name, digits = b"", b""
    if name != of.encode() or not digits.isdigit():
        raise InvalidInput(
            "the cursor is not one of this list; start again without cursor, or use next_cursor as it came"
        )
    return int(digits)


def _text(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
