"""The tool that reads before an answer: every fact that bears on a request, and the block that carries them."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult
from pydantic import Field

from r_memory.domain.blocks import Recall
from r_memory.recall.rendering import render
from r_memory.tools import shaping
from r_memory.tools.answers import MAX_RESULT, answer, fits
from r_memory.tools.calls import Call, client_of, memory_of, shared_by
from r_memory.tools.errors import Unavailable, reading
from r_memory.tools.hints import ALWAYS_LOADED, READS
from r_memory.tools.models import ContextOut, Name, Subject
from r_memory.tools.opening import SharedMemory

_CHARS_PER_TOKEN = 4
_DEFAULT_TOKENS = 2_000


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(
        memory_build_context,
        title="Recall before answering",
        annotations=READS,
        meta=ALWAYS_LOADED,
        structured_output=True,
    )


async def memory_build_context(
    ctx: Call,
    *,
    query: Annotated[str, Field(description="The request, unchanged, at most 8000 characters.")],
    subject: Subject = "",
    intents: Annotated[
        tuple[Name, ...],
        Field(max_length=20, description="Action types of memory_describe to open beside those recognised."),
    ] = (),
    max_tokens: Annotated[
        int, Field(ge=0, le=6_000, description="Cuts lines below the critical ones only. 0: 2000.")
    ] = 0,
) -> Annotated[CallToolResult, ContextOut]:
    """Recall allergies, contraindications, implants, limits and every other recorded fact that bears on a request.

    Call it before ordering, advising or answering anything about somebody, and put `block` in front of the request. It
    reads only; what the query itself states is not stored. Each relation comes back as FOUND, NONE-ASSERTED, NOT-ASKED
    or COULD-NOT-CHECK: no entry is no proof of absence. If nothing can be read it fails with SAFETY MEMORY UNAVAILABLE.
    """
    with reading(shared_by(ctx).ask):
        memory = await memory_of(ctx)
        recall = await memory.build_context(
            query,
            subject=subject,
            intents=intents,
            shown_to=client_of(ctx),
            max_chars=(max_tokens or _DEFAULT_TOKENS) * _CHARS_PER_TOKEN,
        )
    if recall.unavailable:
        raise Unavailable(recall.unavailable, recall.ask)
    return answer(_whole(recall))


def _whole(recall: Recall) -> ContextOut:
    """Everything, or everything but the query text that was run; never without a critical line.

    Raises:
        ToolError: not even that fits into one result.
    """
    full = shaping.context(recall, render(recall))
    for shape in (full, full.model_copy(update={"traversal": ""})):
        if fits(shape):
            return shape
    raise ToolError(
        f"The critical lines alone exceed {MAX_RESULT} characters and none may be left out. "
        f"Call memory_list_facts with subject '{full.subject_id}' and read every page."
    )
