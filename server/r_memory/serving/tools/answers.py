"""How a result leaves: the same compact data in both channels, and never longer than a host passes on whole.

Knows models and lengths; nothing of what they say.
"""

import json
from collections.abc import Sequence

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

MAX_RESULT = 24_000
"""Characters of a result; longer ones are cut by hosts, in the middle of a risk."""


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


def _text(content: object) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
