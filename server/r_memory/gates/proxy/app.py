"""The endpoint: a request in, the record in front of it, the upstream's answer held against the record, the answer out.

What is neither a checked answer nor harmless is not offered: an endpoint whose answers would pass unread answers 404.
Logs hold outcomes, never words.
"""

import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from r_memory.domain.gates import CallerKey
from r_memory.errors import InvalidInput, RMemoryError, SubjectRequired
from r_memory.gates.gates import Before, GateJudgement, Gates
from r_memory.gates.proxy.callers import (
    CONVERSATION_FIELD,
    CONVERSATION_HEADER,
    OWN_HEADERS,
    SPEAKER_HEADER,
    SUBJECT_HEADER,
    caller_of,
    field_of,
    subject_of,
)
from r_memory.gates.proxy.chat import ChatStream, guard_answer
from r_memory.gates.proxy.events import DONE, event_of, events_of
from r_memory.gates.proxy.requests import Body, ModelRequest, chat_request, responses_request
from r_memory.gates.proxy.responses import ResponsesStream, guard_response
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
_ERRORS = {401: "authentication_error", 403: "permission_error"}


@dataclass(frozen=True, slots=True)
class ProxyEndpoint:
    """How one endpoint is read and guarded."""

    request: Callable[[Body], ModelRequest]
    stream: type[ChatStream | ResponsesStream]
    guard: Callable[[Body, Sluice, ModelRequest], Awaitable[Sequence[GateJudgement]]]


_ENDPOINTS: Mapping[str, ProxyEndpoint] = {
    "chat/completions": ProxyEndpoint(chat_request, ChatStream, guard_answer),
    "responses": ProxyEndpoint(responses_request, ResponsesStream, guard_response),
}


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
        async with proxy.client, (beside or nullcontext)():
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
        except ClientDisconnect:
            return Response(status_code=499)
        except RequestRefused as error:
            refused = error
        except httpx2.TimeoutException:
            refused = RequestRefused(504, "upstream_timeout", "the upstream did not answer in time")
        except (httpx2.HTTPError, httpx2.InvalidURL):
            refused = RequestRefused(502, "upstream_unreachable", "the upstream cannot be reached")
        except Exception as error:  # noqa: BLE001 - no answer goes out unchecked, and no words into a log
            logger.error("Proxy failed", extra={"action": "proxy", "error": type(error).__name__})  # noqa: TRY400
            refused = RequestRefused(500, "internal_error", "this could not be checked; see the log")
        logger.warning("Proxy refused", extra={"action": "proxy", "status": refused.status, "code": refused.code})
        return JSONResponse(refused.data, refused.status)

    async def _answered(self, request: Request) -> Response:
        path = request.path_params["path"].strip("/")
        keys = self._gates.policy.keys
        caller = caller_of(request.headers.get("authorization", ""), keys)
        if keys and caller is None:
            why = "the API key is none of those that gates.yaml names; add its sha256 under `keys`"
            raise RequestRefused(401, "unknown_key", why)
        if (request.method, path.split("/")[0]) in _PASSED:
            return await self._passed(request, path)
        if request.method != "POST" or path not in _ENDPOINTS:
            raise RequestRefused(
                404, "not_offered", f"{request.method} {inert(path, 60)} is not offered: it would pass unchecked"
            )
        body, endpoint = await _body(request), _ENDPOINTS[path]
        asked = endpoint.request(body)
        if asked.refused:
            raise RequestRefused(400, "cannot_be_checked", asked.refused)
        shown_to = f"proxy {inert(request.headers.get('user-agent', ''), 60)}".strip()
        try:
            before = await self._before(request, asked, caller, shown_to)
        except InvalidInput as error:
            code = "subject_required" if isinstance(error, SubjectRequired) else "invalid_request"
            raise RequestRefused(400, code, str(error)) from error
        if before.subject is None or not before.goes_on:
            raise RequestRefused(503, "safety_memory_unavailable", (await before.settled()).block)
        subject = before.subject
        try:
            # Blocks of ours that came with the request are none: nobody but the gate puts one there.
            asked = endpoint.request(_disarmed(body))
            asked.put(before.block)
            content = json.dumps(asked.body, ensure_ascii=False).encode()
            sent = await self._send(request, path, content, before.begin)
        finally:  # words and receipt are stored while the model answers, and no answer goes out before they are
            before = await before.settled()
        if not before.goes_on:
            await sent.aclose()
            raise RequestRefused(503, "safety_memory_unavailable", before.block)
        sluice = Sluice(self._gates, subject, shown_to=shown_to, asked=asked.words, missing=before.trouble)
        headers = {**_kept(sent.headers), "x-r-memory-receipt": before.receipt_id, "x-r-memory-outcome": before.outcome}
        return await self._guarded(sent, headers, asked, sluice, endpoint)

    async def _before(self, request: Request, asked: ModelRequest, caller: CallerKey | None, shown_to: str) -> Before:
        """Returns the result of the first gate. Raises InvalidInput, or a subclass, as `Gates.before`."""
        headers, metadata = request.headers, asked.body.get("metadata")
        return await self._gates.before(
            asked.words,
            subject=subject_of(headers.getlist(SUBJECT_HEADER), metadata, caller, self._plan.single_subject),
            conversation=headers.get(CONVERSATION_HEADER, "")[:200] or field_of(metadata, CONVERSATION_FIELD),
            speaker=headers.get(SPEAKER_HEADER, "")[:200],
            shown_to=shown_to,
            store=asked.is_new,
            is_early=True,
        )

    async def _guarded(
        self,
        sent: httpx2.Response,
        headers: dict[str, str],
        asked: ModelRequest,
        sluice: Sluice,
        endpoint: ProxyEndpoint,
    ) -> Response:
        if sent.status_code >= 400:
            return Response(await _read(sent), sent.status_code, headers)
        if sent.headers.get("content-type", "").startswith("text/event-stream"):
            guarded = _streamed(sent, endpoint.stream(sluice, asked))
            return StreamingResponse(guarded, sent.status_code, headers)
        try:
            answer = json.loads(await _read(sent))
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise RequestRefused(
                502, "upstream_unreadable", "the upstream answered with something that cannot be checked"
            )
        if told := await endpoint.guard(answer, sluice, asked):
            headers |= {"x-r-memory-decision": told[0].decision, "x-r-memory-checked": str(told[0].checked).lower()}
        return JSONResponse(answer, sent.status_code, {**headers, "content-type": "application/json"})

    async def _passed(self, request: Request, path: str) -> Response:
        sent = await self._send(request, path, await request.body())
        return Response(await _read(sent), sent.status_code, _kept(sent.headers))

    async def _send(
        self, request: Request, path: str, content: bytes, when_sent: Callable[[], None] = lambda: None
    ) -> httpx2.Response:
        """Returns the upstream's response; its body is not read yet."""
        kept = [(name, value) for name, value in request.headers.items() if name not in _HOP | OWN_HEADERS]
        # The length as well: what comes in pieces would be sent without.
        length = [("content-length", str(len(content)))] if content else []
        headers = httpx2.Headers([*kept, ("accept-encoding", "identity"), *length])
        if self._plan.upstream_key:
            headers["authorization"] = f"Bearer {self._plan.upstream_key}"
        url = httpx2.URL(f"{self._plan.upstream.rstrip('/')}/{path}").copy_with(
            query=request.url.query.encode() or None
        )
        pieces = _pieces(content, when_sent) if content else None
        built = self.client.build_request(request.method, url, headers=headers, content=pieces)
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


async def _pieces(content: bytes, when_sent: Callable[[], None]) -> AsyncIterator[bytes]:
    """Yields the content of a request, and says when it was sent."""
    yield content
    when_sent()


async def _read(sent: httpx2.Response) -> bytes:
    try:
        return await sent.aread()
    finally:
        await sent.aclose()


def _kept(headers: httpx2.Headers) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name not in _HOP}


async def _streamed(sent: httpx2.Response, stream: ChatStream | ResponsesStream) -> AsyncIterator[bytes]:
    """Yields the checked bytes of a stream; a broken stream ends with an error event."""
    try:
        async for event in events_of(sent.aiter_bytes()):
            if out := await stream.take(event):
                yield out
            if stream.is_over:
                return
        if not stream.is_complete:
            yield _broken("the upstream ended in the middle of its answer; what was not checked was not sent")
    except (httpx2.HTTPError, ValueError, RecursionError):
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
        return [_disarmed(item) for item in value]
    if isinstance(value, dict):
        return {key: _disarmed(each) for key, each in value.items()}
    return value
