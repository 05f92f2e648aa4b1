"""The checks of every request: at the door by which name, from which page, how, and how long; at the gate, once it is
known who calls, how often, and whether the token allows the tool.

Outcomes are logged without paths, headers and words of the caller.
"""

import asyncio
import json
import logging
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from r_memory.serving.http.addressing import Addressing
from r_memory.serving.http.plan import HEALTH
from r_memory.serving.tools.access import READ, needed_scope
from r_memory.serving.tools.strict import StrictServer

logger = logging.getLogger(__name__)

_LISTEN = "subscriptions/listen"
_Handler = Callable[[int, FrameType | None], object] | int | None
_BURST_S = 10
_BEARERS = 10_000
_BODY_S = 15.0
"""Most seconds until the body of a request has arrived."""
_WHOLE_S = 300.0
"""Most seconds until a request is answered; streams of changes are exempt."""


class RequestDoor:
    """Admits requests that are addressed to this server and arrive in time."""

    def __init__(self, app: ASGIApp, *, addressing: Addressing, security: TransportSecuritySettings) -> None:
        self._app = app
        self._addressing = addressing
        self._security = TransportSecurityMiddleware(security)
        self._streams: set[asyncio.Timeout] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "lifespan":
            self._end_streams_on_signal()
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        visit = _Visit(scope, receive, send, self._streams)
        refused = self._addressing.refusal(Headers(scope=scope)) or await self._security.validate_request(
            Request(scope)
        )
        if refused is not None:
            await refused(scope, receive, visit.send)
        else:
            await visit.served_by(self._app)
        visit.log()

    def _end_streams_on_signal(self) -> None:
        """Closes listening streams at once when the process is asked to end, as they would delay it."""
        if threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()

        def end_streams() -> None:
            for stream in self._streams:
                stream.reschedule(loop.time())

        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)

            def ending(number: int, frame: FrameType | None, before: _Handler = before) -> None:
                loop.call_soon_threadsafe(end_streams)
                if callable(before):
                    before(number, frame)

            signal.signal(number, ending)


class _SlowBody(Exception):
    """The body did not arrive in time."""


@dataclass(slots=True)
class _Visit:
    """The state of one request."""

    _scope: Scope
    _receive: Receive
    _send: Send
    _streams: set[asyncio.Timeout]
    _begun: float = field(default_factory=time.monotonic)
    _arrived: bool = False
    _slow: bool = False
    _status: int = 0

    async def served_by(self, app: ASGIApp) -> None:
        """Runs the application within the time limits."""
        listens = (b"mcp-method", _LISTEN.encode()) in self._scope["headers"]
        limit = asyncio.timeout(None if listens else _WHOLE_S)
        if listens:
            self._streams.add(limit)
        try:
            async with limit:
                await app(self._scope, self.receive, self.send)
        except _SlowBody:
            self._slow = False
            await self._refuse(408, "The request did not arrive in time")
        except TimeoutError:
            await self._refuse(504, "The request took too long; nothing is known of its outcome")
        finally:
            self._streams.discard(limit)

    async def receive(self) -> Message:
        """Returns the next part of the request; after the last, waits until the caller disconnects."""
        if self._arrived:
            return await self._receive()
        left = _BODY_S - (time.monotonic() - self._begun)
        try:
            async with asyncio.timeout(max(left, 0.001)):
                message = await self._receive()
        except TimeoutError:
            self._slow = True
            raise _SlowBody from None
        self._arrived = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    async def send(self, message: Message) -> None:
        """Forwards a message of the answer."""
        if self._slow:
            return  # what is said on the way out of the application; the answer follows
        if message["type"] == "http.response.start":
            self._status = message["status"]
        await self._send(message)

    def log(self) -> None:
        """Logs one line: caller, outcome, duration."""
        user = self._scope.get("user")
        facts = {
            "action": "request",
            "status": self._status,
            "ms": round((time.monotonic() - self._begun) * 1000),
            "caller": user.username if isinstance(user, AuthenticatedUser) else "",
        }
        logger.log(logging.WARNING if self._status >= 400 else logging.INFO, "Request answered", extra=facts)

    async def _refuse(self, status: int, message: str) -> None:
        if self._status:
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            answer = PlainTextResponse(message, status_code=status, headers={"Connection": "close"})
            await answer(self._scope, self._receive, self.send)


class Rates:
    """Limits the calls of each bearer: a token bucket with ten seconds of the rate."""

    def __init__(self, rate: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._full = float(rate * _BURST_S)
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admits(self, bearer: str) -> bool:
        """Whether another call is allowed; counts it if so."""
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
    """Refuses calls above a bearer's rate, and tools outside of its scopes.

    The refusal uses HTTP status and headers, so that a client can ask its user for more (MCP authorization, scope
    challenge). `tools/access.py` checks the scopes again, whatever the request looked like.
    """

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
