"""The outermost check of every request: by which name, from which page, how, and how long.

Knows nothing of tokens and tools. Outcomes are logged without paths, headers and words of the caller.
"""

import asyncio
import logging
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from r_memory.serving.http.plan import HEALTH, PATH

logger = logging.getLogger(__name__)

_LISTEN = "subscriptions/listen"
_Handler = Callable[[int, FrameType | None], object] | int | None


_BODY_S = 15.0
"""Until the body of a request has arrived."""
_WHOLE_S = 300.0
"""Until it is answered; streams that listen for changes are exempt."""


class Door:
    """Lets in what is addressed to this server, as a POST, and prompt."""

    def __init__(self, app: ASGIApp, *, security: TransportSecuritySettings, pages: bool = False) -> None:
        """`pages` lets the questions of browsers through, which ask before they call."""
        self._app = app
        self._security = TransportSecurityMiddleware(security)
        self._pages = pages
        self._streams: set[asyncio.Timeout] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] == "lifespan":
            self._end_streams_on_signal()
        if scope["type"] != "http" or scope["path"] == HEALTH:
            await self._app(scope, receive, send)
            return
        visit = _Visit(scope, receive, send, self._streams)
        refused = await self._refusal(scope)
        if refused is not None:
            await refused(scope, receive, visit.send)
        else:
            await visit.served_by(self._app)
        visit.log()

    def _end_streams_on_signal(self) -> None:
        """Streams that listen would hold up the end of the process: they are closed as soon as it is asked for."""
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

    async def _refusal(self, scope: Scope) -> Response | None:
        request = Request(scope)
        refused = await self._security.validate_request(request)
        methods = {"POST", "OPTIONS"} if self._pages else {"POST"}
        if refused is None and scope["path"] == PATH and request.method not in methods:
            # Without sessions there is no stream to open and nothing to end.
            return PlainTextResponse("Use POST", status_code=405, headers={"Allow": "POST"})
        return refused


class _SlowBody(Exception):
    """The body did not arrive in time."""


@dataclass(slots=True)
class _Visit:
    """One request, with what has become of it."""

    _scope: Scope
    _receive: Receive
    _send: Send
    _streams: set[asyncio.Timeout]
    _begun: float = field(default_factory=time.monotonic)
    _arrived: bool = False
    _slow: bool = False
    _status: int = 0

    async def served_by(self, app: ASGIApp) -> None:
        """Runs the application within the limits."""
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
        """The next part of the request; once it is whole, waits for the caller to go."""
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
        """Passes an answer on."""
        if self._slow:
            return  # what is said on the way out of the application; the answer follows
        if message["type"] == "http.response.start":
            self._status = message["status"]
        await self._send(message)

    def log(self) -> None:
        """One line: who, what came of it, how long."""
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
