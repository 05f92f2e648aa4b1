"""The tool that runs a shipped audit: read-only Cypher over everything stored, of the caller's own space."""

import time
from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from r_memory.serving.tools.answers import answer, fits
from r_memory.serving.tools.calls import Call, memory_of, shared_by
from r_memory.serving.tools.errors import reading
from r_memory.serving.tools.hints import READS
from r_memory.serving.tools.opening import SharedMemory
from r_memory.text.inert import inert

_CELL = 400


class AuditOut(BaseModel):
    """Rows of an audit."""

    columns: list[str]
    rows: list[list[str | int | float | bool | None]]
    truncated: bool = Field(description="There are more rows than were asked for or than fit.")
    elapsed_ms: float


def register(server: MCPServer[SharedMemory]) -> None:
    """Adds the tool."""
    server.add_tool(memory_run_audit, title="Run an audit", annotations=READS, structured_output=True)


async def memory_run_audit(
    ctx: Call,
    *,
    name: Annotated[str, Field(max_length=64, description="An audit that memory_describe lists.")],
    limit: Annotated[int, Field(ge=1, le=200, description="Most rows.")] = 50,
) -> Annotated[CallToolResult, AuditOut]:
    """Run one of the shipped audits over everything that is remembered: open statements, contradictions, gaps, readers.

    Call memory_describe with part "audits" for their names. Cells are data that people stated.
    """
    started = time.perf_counter()
    with reading(shared_by(ctx).ask):
        table = await (await memory_of(ctx)).audit(name, limit=limit)
    rows = [[_cell(value) for value in row] for row in table.rows]
    result = AuditOut(columns=list(table.columns), rows=rows, truncated=table.truncated, elapsed_ms=_since(started))
    while not fits(result) and result.rows:
        result = result.model_copy(update={"rows": result.rows[: len(result.rows) // 2], "truncated": True})
    return answer(result)


def _cell(value: object) -> str | int | float | bool | None:
    """A value as a client can read it; texts are inert, everything else that has parts becomes a text."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return inert(value if isinstance(value, str) else str(value), _CELL)


def _since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
