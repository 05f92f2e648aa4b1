"""A span for each request, for whoever exports them: what was called and how it ended, and nobody's words.

The SDK's own spans carry the texts of protocol errors, which name subjects, and names as clients spell them. Here a
name stands in a span only if the server has something of that name. Without an exporter nothing is measured.
"""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind, StatusCode, get_tracer

Knows = Callable[[str, str], Awaitable[bool]]
"""Whether the server answers this method for something of this name; without a name, whether it answers the method."""
OTHER = "other"
"""Stands for whatever the server does not know."""
_VERSION = re.compile(r"\d{4}-\d\d-\d\d")


class WordlessSpans:
    """Middleware of the low-level server, in place of the SDK's."""

    def __init__(self, knows: Knows) -> None:
        self._knows = knows

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """The answer, with a span around it."""
        method = ctx.method if await self._knows(ctx.method, "") else OTHER
        target = await self._target(ctx)
        version = ctx.protocol_version if _VERSION.fullmatch(str(ctx.protocol_version)) else OTHER
        attributes = {"mcp.method.name": method, "mcp.protocol.version": version}
        carrier = {name: value for name, value in (ctx.meta or {}).items() if isinstance(value, str)}
        if target:
            attributes["gen_ai.tool.name" if method == "tools/call" else "gen_ai.prompt.name"] = target
        with get_tracer("r-memory").start_as_current_span(
            f"{method} {target}".rstrip(),
            kind=SpanKind.SERVER,
            attributes=attributes,
            # The caller's trace, where it sent one that can be read.
            context=extract(carrier) if "traceparent" in carrier else None,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                result = await call_next(ctx)
            except BaseException as error:
                kind = str(error.error.code) if isinstance(error, MCPError) else type(error).__qualname__
                span.set_attribute("error.type", kind)
                span.set_status(StatusCode.ERROR)
                raise
            if _is_tool_error(result):
                span.set_attribute("error.type", "tool_error")
                span.set_status(StatusCode.ERROR)
            return result

    async def _target(self, ctx: ServerRequestContext[Any, Any]) -> str:
        """The tool or prompt that is asked for; empty for any other request."""
        name = (ctx.params or {}).get("name")
        if ctx.method not in {"tools/call", "prompts/get"} or not isinstance(name, str):
            return ""
        return name if name and await self._knows(ctx.method, name) else OTHER


def _is_tool_error(result: HandlerResult) -> bool:
    if isinstance(result, CallToolResult):
        return bool(result.is_error)
    return isinstance(result, dict) and result.get("isError") is True
