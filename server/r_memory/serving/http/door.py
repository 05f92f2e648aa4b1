"""The checks of every request: at the door by which name and from which page, at the gate, once it is known who calls,
whether the token allows the tool.

How often and how long somebody may call is what the proxy in front limits (docs/how-to/serve-over-http.md).
Outcomes are logged without paths, headers and words of the caller.
"""

import asyncio
import json
import logging
import time
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from r_memory.serving.http.addressing import Addressing
from r_memory.serving.http.plan import HEALTH, HttpPlan
from r_memory.serving.tools.access import READ, needed_scope
from r_memory.serving.tools.strict import StrictServer

logger = logging.getLogger(__name__)


class RequestDoor:
    """Admits requests that are addressed to this server, and logs one line for each: caller, outcome, duration."""

    def __init__(self, app: ASGIApp, *, addressing: Addressing) -> None:
        self._app = app
        self._addressing = addressing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0

        async def seen(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await (self._addressing.refusal(Headers(scope=scope)) or self._app)(scope, receive, seen)
        except asyncio.CancelledError:
            # The server was told to end, and what still runs is a stream that somebody listens to: it ends in order.
            if not status:
                raise
            await send({"type": "http.response.body", "body": b""})
        _log(scope, status, time.monotonic() - begun)


def behind_door(app: ASGIApp, plan: HttpPlan) -> RequestDoor:
    """Returns the application for requests under the plan's names, from no page of a browser but its own and listed."""
    return RequestDoor(app, addressing=Addressing(plan.hosts, plan.settings.http_origins, local=plan.hosts))


def _log(scope: Scope, status: int, seconds: float) -> None:
    user = scope.get("user")
    facts = {
        "action": "request",
        "status": status,
        "ms": round(seconds * 1000),
        "caller": user.username if isinstance(user, AuthenticatedUser) else "",
    }
    logger.log(logging.WARNING if status >= 400 else logging.INFO, "Request answered", extra=facts)


class Gate:
    """Refuses calls of tools outside of a bearer's scopes.

    The refusal uses HTTP status and headers, so that a client can ask its user for more (MCP authorization, scope
    challenge). `tools/access.py` checks the scopes again, whatever the request looked like.
    """

    def __init__(self, app: ASGIApp, *, server: StrictServer, metadata_url: str = "") -> None:
        self._app = app
        self._server = server
        self._metadata_url = metadata_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request of a known bearer."""
        user = scope.get("user")
        if not isinstance(user, AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        first = await receive()
        tool = _called_tool(first.get("body", b""))
        hints = self._server.annotations_of(tool)
        needed = needed_scope(tool, hints)
        if hints is not None and needed not in user.scopes:
            await self._challenge(needed)(scope, receive, send)
        else:
            await self._app(scope, _replayed(first, receive), send)

    def _challenge(self, missing: str) -> Response:
        parts = ['error="insufficient_scope"', f'scope="{READ} {missing}"']
        if self._metadata_url:
            parts.append(f'resource_metadata="{self._metadata_url}"')
        body = {"error": "insufficient_scope", "error_description": f"Required scope: {missing}"}
        return JSONResponse(body, status_code=403, headers={"WWW-Authenticate": f"Bearer {', '.join(parts)}"})


def _called_tool(body: bytes) -> str:
    """Returns the tool that a request calls; empty for any other request."""
    try:
        request: Any = json.loads(body)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(request, dict) or request.get("method") != "tools/call":
        return ""
    params = request.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return name if isinstance(name, str) else ""


def _replayed(first: Message, receive: Receive) -> Receive:
    waiting = [first]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again
