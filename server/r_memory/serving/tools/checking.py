"""The tool that checks a draft before it is sent: does it name something that a recorded fact stands against?"""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from r_memory.serving.tools import shaping
from r_memory.serving.tools.answers import MAX_RESULT, answer, fits, fitting
from r_memory.serving.tools.calls import Call, client_of, memory_of, shared_by
from r_memory.serving.tools.errors import Unavailable, reading
from r_memory.serving.tools.hints import READS
from r_memory.serving.tools.models import CheckOut, Subject
from r_memory.serving.tools.opening import SharedMemory

_ROOM = MAX_RESULT // 2


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(memory_check_text, title="Check a draft", annotations=READS, structured_output=True)


async def memory_check_text(
    ctx: Call,
    *,
    text: Annotated[str, Field(description="The draft, at most 20000 characters.")],
    subject: Subject = "",
) -> Annotated[CallToolResult, CheckOut]:
    """Check a draft answer or order against everything recorded, before it is sent.

    `conflict`: a critical fact stands against something it names; `warning`: look at it; `not_checkable`: ask
    about its `gaps`; `nothing_found` is not "safe".
    """
    with reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        checked = await memory.check_text(text, subject=subject, shown_to=client_of(ctx))
    if checked.recall.unavailable:
        raise Unavailable(checked.recall.unavailable, checked.recall.ask)
    result = shaping.checked(checked)
    if not fits(result):
        shown = fitting(result.findings, room=_ROOM)
        omitted = len(result.findings) - shown
        result = result.model_copy(update={"findings": result.findings[:shown], "omitted": omitted})
    return answer(result)
