"""The endpoint: a request in, the record in front of it, the upstream's answer held against the record, the answer out.

What is neither a checked answer nor harmless is not offered: an endpoint whose answers would pass unread answers 404.
Logs hold outcomes, never words.
"""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx2
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from r_memory.errors import InvalidInput, RMemoryError, SubjectRequired
from r_memory.gates.gates import Before, Gates
from r_memory.gates.proxy.callers import (
    CONVERSATION_FIELD,
    CONVERSATION_HEADER,
    OWN_HEADERS,
    SPEAKER_HEADER,
    SUBJECT_HEADER,
    UnknownKey,
    caller_of,
    field_of,
    subject_of,
)
from r_memory.gates.proxy.chat import ChatRequest, ChatStream, guard_answer
from r_memory.gates.proxy.events import DONE, BrokenStream, Event, event_of, events_of
from r_memory.gates.proxy.responses import ResponsesRequest, ResponsesStream, guard_response
from r_memory.gates.sluice import Sluice
from r_memory.text.inert import inert
from r_memory.text.markers import disarmed

logger = logging.getLogger(__name__)

MAX_BODY = 32 * 1024 * 1024
"""Most bytes of a request, images included."""
_HOP = frozenset({"connection", "content-encoding", "content-length", "date", "host", "keep-alive", "server", "te"})
_HOP |= {"proxy-authenticate", "proxy-authorization", "trailer", "transfer-encoding", "upgrade", "accept-encoding"}
_PASSED = {("GET", "models"), ("POST", "embeddings"), ("POST", "moderations")}
"""Requests that are passed on unchanged, as their responses hold no answer."""
_KINDS: Mapping[str, tuple[Any, Any, Any]] = {
    "chat/completions": (ChatRequest, ChatStream, guard_answer),
    "responses": (ResponsesRequest, ResponsesStream, guard_response),
}
_ERRORS = {401: "authentication_error", 403: "permission_error"}


class AnswerStream(Protocol):
    """Decides for each event of a stream what may go out."""

    is_over: bool
    is_complete: bool

    async def take(self, event: Event) -> bytes:
        """Returns the bytes that may go out after this event."""


class RequestRefused(Exception):
    """The proxy does not carry out the request."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    @property
    def data(self) -> dict[str, object]:
        """The error in the form of the protocol."""
        kind = _ERRORS.get(self.status, "invalid_request_error" if self.status < 500 else "server_error")
        return {"error": {"message": self.message, "type": kind, "param": None, "code": self.code}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyPlan:
    """The addresses, key and limits of a proxy."""

    upstream: str
    """Base address of the upstream, up to `/v1`."""
    single_subject: str = ""
    upstream_key: str = ""
    """Replaces the caller's key; empty: the caller's key is passed on."""
    timeout_s: float = 600.0
    """Most seconds without data from the upstream."""
    hosts: tuple[str, ...] = ()
    """Host names under which the proxy may be called, also from pages in a browser; empty: any."""


def application(
    gates: Gates,
    plan: ProxyPlan,
    *,
    transport: httpx2.AsyncBaseTransport | None = None,
    beside: Callable[[], Any] | None = None,
) -> Starlette:
    """Returns the ASGI application; the context manager `beside` is entered while it serves."""
    proxy = Proxy(gates, plan, transport)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with proxy.client:
            if beside is None:
                yield
                return
            async with beside():
                yield

    routes = [
        Route("/healthz", proxy.health),
        Route("/v1/{path:path}", proxy.answer, methods=["GET", "POST", "DELETE", "PUT", "PATCH"]),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


class Proxy:
    """One upstream behind both gates."""

    def __init__(self, gates: Gates, plan: ProxyPlan, transport: httpx2.AsyncBaseTransport | None) -> None:
        self._gates = gates
        self._plan = plan
        timeout = httpx2.Timeout(plan.timeout_s, connect=10.0)
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
        self.client = httpx2.AsyncClient(timeout=timeout, transport=transport, limits=limits)

    async def health(self, _: Request) -> JSONResponse:
        """Responds 200 if the store answers, else 503."""
        try:
            well = (await (await self._gates.memory()).describe()).health is not None
        except (RMemoryError, TimeoutError):
            well = False
        return JSONResponse({"status": "ok" if well else "store down"}, status_code=200 if well else 503)

    async def answer(self, request: Request) -> Response:
        """Returns the response to one request; errors are in the form of the protocol."""
        try:
            return await self._answered(request)
        except RequestRefused as refused:
            logger.warning("Proxy refused", extra={"action": "proxy", "status": refused.status, "code": refused.code})
            return JSONResponse(refused.data, status_code=refused.status)
        except ClientDisconnect:
            return Response(status_code=499)
        except httpx2.TimeoutException:
            return JSONResponse(
                RequestRefused(504, "upstream_timeout", "the upstream did not answer in time").data, 504
            )
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return JSONResponse(RequestRefused(502, "upstream_unreachable", "the upstream cannot be reached").data, 502)
        except Exception as error:  # noqa: BLE001 - no answer goes out unchecked, and no words into a log
            logger.error("Proxy failed", extra={"action": "proxy", "error": type(error).__name__})  # noqa: TRY400
            return JSONResponse(
                RequestRefused(500, "internal_error", "this could not be checked; see the log").data, 500
            )

    async def _answered(self, request: Request) -> Response:
        path = request.path_params["path"].strip("/")
        named = [f"http://{request.headers.get('host', '')}", *request.headers.getlist("origin")]
        if self._plan.hosts and not all(_host(one) in self._plan.hosts for one in named):
            raise RequestRefused(
                403, "not_for_this_page", "this proxy answers under its own names only, and no other web page"
            )
        try:
            caller = caller_of(request.headers.get("authorization", ""), self._gates.policy.keys)
        except UnknownKey as error:
            raise RequestRefused(401, "unknown_key", str(error)) from error
        if (request.method, path.split("/")[0]) in _PASSED:
            return await self._passed(request, path)
        if request.method != "POST" or path not in _KINDS:
            raise RequestRefused(
                404, "not_offered", f"{request.method} {inert(path, 60)} is not offered: it would pass unchecked"
            )
        body = await _body(request)
        kind, stream, guard = _KINDS[path]
        asked = kind(body)
        if asked.refused:
            raise RequestRefused(400, "cannot_be_checked", asked.refused)
        metadata = body.get("metadata")
        try:
            headers = request.headers.getlist(SUBJECT_HEADER)
            subject = subject_of(headers, metadata, caller, self._plan.single_subject)
            client = inert(request.headers.get("user-agent", ""), 60)
            before = await self._gates.before(
                asked.words,
                subject=subject,
                conversation=request.headers.get(CONVERSATION_HEADER, "")[:200]
                or field_of(metadata, CONVERSATION_FIELD),
                speaker=request.headers.get(SPEAKER_HEADER, "")[:200],
                shown_to=f"proxy {client}".strip(),
                store=asked.is_new,
            )
        except InvalidInput as error:
            code = "subject_required" if isinstance(error, SubjectRequired) else "invalid_request"
            raise RequestRefused(400, code, str(error)) from error
        if before.subject is None or not before.goes_on:
            raise RequestRefused(503, "safety_memory_unavailable", before.block)
        # Blocks of ours that came with the request are none: nobody but the gate puts one there.
        asked = kind(_disarmed(body))
        asked.put(before.block)
        sluice = Sluice(self._gates, before.subject, shown_to=f"proxy {client}".strip(), asked=before.request)
        return await self._guarded(request, path, asked, before, sluice, stream, guard)

    async def _guarded(
        self,
        request: Request,
        path: str,
        asked: Any,  # noqa: ANN401 - one of two requests with the same face
        before: Before,
        sluice: Sluice,
        stream: Callable[..., AnswerStream],
        guard: Callable[..., Awaitable[Any]],
    ) -> Response:
        sent = await self._send(request, path, json.dumps(asked.body, ensure_ascii=False).encode())
        headers = {**_kept(sent.headers), "x-r-memory-receipt": before.receipt_id, "x-r-memory-outcome": before.outcome}
        kind = sent.headers.get("content-type", "")
        no_content = self._gates.policy.no_content
        if sent.status_code >= 400:
            return Response(await _read(sent), sent.status_code, headers)
        if kind.startswith("text/event-stream"):
            guarded = _streamed(sent, stream(sluice, asked, no_content))
            return StreamingResponse(guarded, sent.status_code, headers)
        content = await _read(sent)
        try:
            answer = json.loads(content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise RequestRefused(
                502, "upstream_unreadable", "the upstream answered with something that cannot be checked"
            )
        told = await guard(answer, sluice, asked, no_content)
        if told:
            headers |= {"x-r-memory-decision": told[0].decision, "x-r-memory-checked": str(told[0].checked).lower()}
        return JSONResponse(answer, sent.status_code, {**headers, "content-type": "application/json"})

    async def _passed(self, request: Request, path: str) -> Response:
        sent = await self._send(request, path, await request.body())
        return Response(await _read(sent), sent.status_code, _kept(sent.headers))

    async def _send(self, request: Request, path: str, content: bytes) -> httpx2.Response:
        """Returns the upstream's response; its body is not read yet."""
        kept = [(name, value) for name, value in request.headers.items() if name not in _HOP | OWN_HEADERS]
        headers = httpx2.Headers([*kept, ("accept-encoding", "identity")])
        if self._plan.upstream_key:
            headers["authorization"] = f"Bearer {self._plan.upstream_key}"
        url = httpx2.URL(f"{self._plan.upstream.rstrip('/')}/{path}").copy_with(
            query=request.url.query.encode() or None
        )
        built = self.client.build_request(request.method, url, headers=headers, content=content)
        return await self.client.send(built, stream=True)


async def _body(request: Request) -> dict[str, Any]:
    content = b""
    async for piece in request.stream():
        content += piece
        if len(content) > MAX_BODY:
            raise RequestRefused(413, "too_long", f"a request of more than {MAX_BODY // 2**20} MB; send less")
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RequestRefused(400, "no_json", "the request is no JSON") from error
    if not isinstance(body, dict):
        raise RequestRefused(400, "no_json", "the request is no JSON object")
    return body


def _host(url: str) -> str:
    """Returns the host of an address as `HttpPlan` writes it; empty if there is none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return f"[{host}]" if ":" in host else host


async def _read(sent: httpx2.Response) -> bytes:
    try:
        return await sent.aread()
    finally:
        await sent.aclose()


def _kept(headers: httpx2.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in _HOP}


async def _streamed(sent: httpx2.Response, stream: AnswerStream) -> AsyncIterator[bytes]:
    """Yields the checked bytes of a stream; a broken stream ends with an error event."""
    try:
        async for event in events_of(sent.aiter_bytes()):
            if out := await stream.take(event):
                yield out
            if stream.is_over:
                return
        if not stream.is_complete:
            yield _broken("the upstream ended in the middle of its answer; what was not checked was not sent")
    except (httpx2.HTTPError, BrokenStream):
        yield _broken("the upstream's answer broke off; what was not checked was not sent")
    except Exception as error:  # noqa: BLE001 - the head is out: the client must hear that it is not whole
        logger.error("Stream broke", extra={"action": "proxy_stream", "error": type(error).__name__})  # noqa: TRY400
        yield _broken("the answer could not be checked; what was not checked was not sent")
    finally:
        await sent.aclose()


def _broken(message: str) -> bytes:
    return event_of(RequestRefused(502, "upstream_broke", message).data, "error") + DONE


def _disarmed(value: Any) -> Any:  # noqa: ANN401 - JSON of any shape
    if isinstance(value, str):
        return disarmed(value) if "R-MEMORY" in value.upper() else value
    if isinstance(value, list):
        return [_disarmed(one) for one in value]
    if isinstance(value, dict):
        return {key: _disarmed(one) for key, one in value.items()}
    return value
