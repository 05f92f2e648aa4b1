"""The pages as one application: who may see which, what a form must carry, and what people read when something fails.

Knows paths, methods and scopes; what stands on a page is made by `pages.py`, `deciding.py` and `asking.py`.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from r_memory.errors import InvalidInput, RMemoryError, StoreError
from r_memory.memory import Memory
from r_memory.serving.http.app import Opened
from r_memory.serving.http.plan import HttpPlan
from r_memory.text.inert import without_secrets
from r_memory.web import asking, deciding, pages
from r_memory.web.rendering import HEADERS, shown, static
from r_memory.web.visit import Visit
from r_memory.web.visits import COOKIE, Visitor, Visits, is_ours, own_tokens

logger = logging.getLogger(__name__)

MAX_FORM = 256 * 1024
"""Most bytes of a form: a table of action types, and some room."""
_MOST_FIELDS = 50
Page = Callable[[Visit], Awaitable[Response]]
Needs = Literal["", "decides", "audits"]
_READ: Mapping[str, tuple[Page, Needs]] = {
    "/": (pages.subjects, ""),
    "/person": (pages.person, ""),
    "/timeline": (pages.timeline, ""),
    "/reconcile": (pages.reconciled, ""),
    "/reconcile.csv": (pages.reconciled_csv, ""),
    "/graph": (pages.graph, ""),
    "/graph.json": (pages.graph_data, ""),
    "/fact": (pages.fact, ""),
    "/review": (deciding.review, ""),
    "/receipts": (pages.receipts, ""),
    "/receipt": (pages.receipt, ""),
    "/case": (pages.case, ""),
    "/ask": (asking.form, ""),
    "/audits": (pages.audits, ""),
    "/audit": (pages.audit, "audits"),
    "/audit.csv": (pages.audit_csv, "audits"),
    "/health": (pages.health, ""),
}
_SENT: Mapping[str, tuple[Page, Needs]] = {
    "/decide": (deciding.decide, "decides"),
    "/ask": (asking.answer, ""),
}
_MISSING = {"decides": "memory:review", "audits": "memory:admin"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Makes the application of one plan."""

    who: str = ""
    """Actor of decisions under the token that the start itself makes; empty: `page`."""
    decides: bool = False
    """Whether that token may decide."""

    def __call__(self, opened: Opened, plan: HttpPlan) -> ASGIApp:
        """Returns the application over a memory."""
        return _application(
            opened, plan, Visits(plan, own=own_tokens(plan, who=self.who or "page", decides=self.decides))
        )


def _application(opened: Opened, plan: HttpPlan, visits: Visits) -> Starlette:
    front = _Front(opened, plan, visits)
    routes = [Route(path, front.reads(page, needs), methods=["GET"]) for path, (page, needs) in _READ.items()]
    routes += [Route(path, front.takes(page, needs), methods=["POST"]) for path, (page, needs) in _SENT.items()]
    routes += [Route("/enter", front.enter, methods=["GET", "POST"]), Route("/leave", front.leave, methods=["POST"])]
    routes += [Route("/static/{name:path}", _file, methods=["GET"])]
    app = Starlette(routes=routes, exception_handlers={404: _nowhere, 405: _wrong_way, Exception: _unforeseen})
    app.router.redirect_slashes = False
    return app


class _Front:
    """Admits visitors, and shows errors as pages."""

    def __init__(self, opened: Opened, plan: HttpPlan, visits: Visits) -> None:
        self._opened, self._plan, self._visits = opened, plan, visits

    def reads(self, page: Page, needs: Needs) -> Callable[[Request], Awaitable[Response]]:
        """Returns the handler of requests for a page."""

        async def read(request: Request) -> Response:
            return await self._answered(request, page, needs, {})

        return read

    def takes(self, page: Page, needs: Needs) -> Callable[[Request], Awaitable[Response]]:
        """Returns the handler of a form."""

        async def taken(request: Request) -> Response:
            fields = await _fields(request)
            return fields if isinstance(fields, Response) else await self._answered(request, page, needs, fields)

        return taken

    async def enter(self, request: Request) -> Response:
        """Starts a visit, by the printed address or by a token typed here."""
        given = await _fields(request) if request.method == "POST" else dict(request.query_params)
        if isinstance(given, Response):
            return given
        into = RedirectResponse("/", status_code=303, headers=HEADERS)
        token = given.get("token", "").strip()
        if token and await self._visits.opened(token, into):
            return into
        wrong = "This token does not count here. Ask who runs the server for another." if token else ""
        return shown("enter.html", status=401, title="Sign in", wrong=wrong)

    async def leave(self, _: Request) -> Response:
        """Ends a visit."""
        out = shown("enter.html", title="Sign in", wrong="You have left.")
        out.delete_cookie(COOKIE)
        return out

    async def _answered(self, request: Request, page: Page, needs: Needs, fields: Mapping[str, str]) -> Response:
        visitor = self._visits.visitor(request)
        if visitor is None:
            return _stranger(request)
        if request.method == "POST" and not is_ours(request, fields.get("sign", ""), visitor):
            return _failed(403, "This form was not sent from this page", "Go back, load the page again, and send it.")
        if needs and not getattr(visitor, needs):
            scope = _MISSING[needs]
            told = f"This needs a token with {scope}; `r-memory token NAME --scope {scope}` makes one."
            return _failed(403, "Your token does not allow this", told)
        return await self._made(request, page, visitor, fields)

    async def _made(self, request: Request, page: Page, visitor: Visitor, fields: Mapping[str, str]) -> Response:
        memory: Memory | None = None
        try:
            memory = (await self._opened()).in_space(visitor.space)
            visit = Visit(request=request, memory=memory, visitor=visitor, plan=self._plan, fields=fields)
            return await page(visit)
        except StoreError as error:
            logger.warning("Page without store", extra={"action": "page", "error": type(error).__name__})
            ask = "Ask before acting." if memory is None else memory.schema.unavailable
            return _failed(503, f"SAFETY MEMORY UNAVAILABLE: {without_secrets(str(error))}", ask)
        except RMemoryError as error:
            status = 400 if isinstance(error, InvalidInput) else 500
            return _failed(status, "That did not work", f"{without_secrets(str(error), 500)}.")


async def _file(request: Request) -> Response:
    return static(request.path_params["name"]) or _failed(404, "There is no such file", "")


async def _nowhere(_: Request, __: Exception) -> Response:
    return _failed(404, "There is no such page", "The pages are in the list above.")


async def _wrong_way(_: Request, __: Exception) -> Response:
    return _failed(405, "This page takes no such request", "Follow a link or a button of a page.")


async def _unforeseen(_: Request, error: Exception) -> Response:
    logger.error("Page failed", extra={"action": "page", "error": type(error).__name__})
    return _failed(500, f"Unexpected {type(error).__name__}", "Nothing more was done. The server's log says where.")


async def _fields(request: Request) -> dict[str, str] | Response:
    """Returns the fields of a form, each once; an error response if it is too long or no form."""
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_FORM:
                return _failed(413, "The form is too long", f"At most {MAX_FORM // 1024} kB fit.")
        given = parse_qs(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except (ValueError, ClientDisconnect):
        return _failed(400, "This is no form", "Load the page again, and send it.")
    return {name: values[-1] for name, values in given.items()}


def _stranger(request: Request) -> Response:
    if request.method == "GET" and request.url.path == "/":
        return shown("enter.html", status=401, title="Sign in", wrong="")
    return shown("enter.html", status=401, title="Sign in", wrong="You are not signed in, or your visit has ended.")


def _failed(status: int, what: str, remedy: str) -> Response:
    return shown("failed.html", status=status, title=what, what=what, remedy=remedy)
