"""What is checked once it is known who calls: how often, and whether the token allows the tool.

A tool that the token does not allow is refused here by HTTP's own means, so that a client can ask its user for more
(MCP authorization, scope challenge); `tools/access.py` refuses it again, whatever the request looked like.
"""

import json
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from r_memory.serving.tools.access import READ, needed_scope
from r_memory.serving.tools.strict import StrictServer

_BURST_S = 10
_BEARERS = 10_000


class Rates:
    """How often each bearer has called of late: a bucket that fills at the rate and holds ten seconds of it."""

    def __init__(self, rate: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._full = float(rate * _BURST_S)
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admits(self, bearer: str) -> bool:
        """Whether another call is in time; counts it if so."""
        if not self._rate:
            return True
        now = self._now()
        left, at = self._left.pop(bearer, (self._full, now))
        left = min(self._full, left + (now - at) * self._rate)
        admitted = left >= 1
        self._left[bearer] = (left - 1 if admitted else left, now)
        if len(self._left) > _BEARERS:
            self._left.popitem(last=False)
        return admitted


class Gate:
    """Refuses too many calls of one bearer, and tools beyond its scopes."""

    def __init__(self, app: ASGIApp, *, server: StrictServer, rates: Rates, metadata_url: str = "") -> None:
        self._app = app
        self._server = server
        self._rates = rates
        self._metadata_url = metadata_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request of a known bearer."""
        user = scope.get("user")
        if not isinstance(user, AuthenticatedUser):
            await self._app(scope, receive, send)
            return
        if not self._rates.admits(user.username):
            answer = PlainTextResponse("Too many requests", status_code=429, headers={"Retry-After": "1"})
            await answer(scope, receive, send)
            return
        first = await receive()
        missing = self._missing_scope(first, user)
        if missing:
            await self._challenge(missing)(scope, receive, send)
        else:
            await self._app(scope, _replayed(first, receive), send)

    def _missing_scope(self, message: Message, user: AuthenticatedUser) -> str:
        tool = _called_tool(message.get("body", b""))
        hints = self._server.annotations_of(tool)
        needed = needed_scope(tool, hints)
        return "" if hints is None or needed in user.scopes else needed

    def _challenge(self, missing: str) -> Response:
        parts = ['error="insufficient_scope"', f'scope="{READ} {missing}"']
        if self._metadata_url:
            parts.append(f'resource_metadata="{self._metadata_url}"')
        body = {"error": "insufficient_scope", "error_description": f"Required scope: {missing}"}
        return JSONResponse(body, status_code=403, headers={"WWW-Authenticate": f"Bearer {', '.join(parts)}"})


def _called_tool(body: bytes) -> str:
    """The tool that a request calls; empty for any other, and for what is no request."""
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
