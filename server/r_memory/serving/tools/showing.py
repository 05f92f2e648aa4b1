"""What a person is shown beside a tool's answer: the view of a record inside a conversation (MCP Apps), a link to the
receipt, and the review page where a change waits; offered to clients that say that they show it, and silent to others.

Each tool works without it: the view draws what tools gave, and calls no others.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urljoin

from mcp.server.apps import APP_MIME_TYPE, client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.resources.types import TextResource
from mcp.types import CallToolResult, ElicitRequest, ElicitRequestURLParams, InputRequiredResult, ResourceLink
from starlette.requests import Request

from r_memory.serving.tools.calls import Call
from r_memory.serving.tools.strict import StrictServer
from r_memory.serving.tools.viewing import RECEIPT

RECORD = "ui://r-memory/record.html"
_VIEW = Path(__file__).with_name("record.html")
_SHOWN: Sequence[str] = ("memory_list_facts", "memory_build_context")
"""Tools whose results the view draws."""

_PAGE = "r-memory/review"
"""Key of the question whether to open the review page."""


def offer_view(server: StrictServer) -> None:
    """Adds the view, and says so where a client shows views."""
    text = _VIEW.read_text(encoding="utf-8")
    server.add_resource(
        TextResource(uri=RECORD, name="record", title="What is remembered", mime_type=APP_MIME_TYPE, text=text)
    )
    server.middleware.append(_told)


async def _told(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """The answer; of a list, with what belongs to the view for whoever shows it, and without for everybody else."""
    result = await call_next(ctx)
    if not isinstance(result, dict):
        return result
    shows = client_supports_apps(ctx)
    if ctx.method == "tools/list" and shows:
        return {**result, "tools": [_with_view(tool) for tool in result["tools"]]}
    if ctx.method == "resources/list" and not shows:
        return {**result, "resources": [item for item in result["resources"] if item["uri"] != RECORD]}
    return result


def _with_view(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if tool["name"] not in _SHOWN:
        return tool
    return {**tool, "_meta": {**tool.get("_meta", {}), "ui": {"resourceUri": RECORD}}}


def with_receipt(ctx: Call, result: CallToolResult, receipt_id: str) -> CallToolResult:
    """The result of a recall, with a link to its receipt for a client that shows views."""
    if not receipt_id or not client_supports_apps(ctx):
        return result
    link = ResourceLink(
        type="resource_link",
        uri=RECEIPT.replace("{id}", receipt_id),
        name=f"receipt {receipt_id}",
        title="What was shown, as it stood",
        mime_type="text/plain",
    )
    return result.model_copy(update={"content": [*result.content, link]})


def offer_page(server: StrictServer, address: str) -> None:
    """Leads a person to the review page when a change is requested that only a person decides.

    `address` is that of the pages; empty: the one by which the client calls. Clients that open addresses are asked in
    the form of the newest protocol; an older one tells a server without sessions not what it can.
    """

    async def led(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        result, params = await call_next(ctx), ctx.params or {}
        told = result.get("structuredContent") if isinstance(result, dict) else None
        waits = isinstance(told, dict) and told.get("outcome") == "requested" and ctx.method == "tools/call"
        if not waits or _PAGE in (params.get("inputResponses") or {}) or not _opens_addresses(ctx):
            return result
        base = address or (str(ctx.request.base_url) if isinstance(ctx.request, Request) else "")
        subject = params["arguments"].get("subject")
        url = urljoin(base, "/review") + (f"?{urlencode({'id': subject})}" if subject else "")
        request = ElicitRequest(params=ElicitRequestURLParams(message=_WAITS, url=url))
        return InputRequiredResult(input_requests={_PAGE: request}).model_dump(
            mode="json", by_alias=True, exclude_none=True
        )

    server.middleware.append(led)


_WAITS = "A change of what is recorded was requested, and a person decides it. Open the page where it waits?"


def _opens_addresses(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client opens addresses for a person (`elicitation.url`)."""
    told = ctx.session.client_params
    asks = told.capabilities.elicitation if told is not None else None
    return asks is not None and asks.url is not None and ctx.protocol_version >= "2026-07-28"
