"""The application behind one address: door, tokens, gate, and then the tools.

Knows the order of the checks; each is a module of its own.
"""

import re
import time
from collections.abc import Awaitable, Callable
from functools import partial

import anyio
from mcp.server.auth.middleware.auth_context import AuthContextMiddleware
from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.routes import build_resource_metadata_url, create_protected_resource_routes
from mcp.server.transport_security import RequestBodyLimitMiddleware
from pydantic import AnyHttpUrl, ConfigDict, TypeAdapter
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from r_memory.config.access_tokens import SCOPES
from r_memory.config.settings import Settings
from r_memory.errors import RMemoryError, StoreUnavailable
from r_memory.memory import Memory
from r_memory.serving.http.addressing import Addressing
from r_memory.serving.http.door import Gate, RequestDoor
from r_memory.serving.http.plan import CARDS, HEALTH, LOOPBACK_NAMES, PATH, HttpPlan
from r_memory.serving.http.tokens import Verifier
from r_memory.serving.tools import surface
from r_memory.serving.tools.access import READ, caller, space_of
from r_memory.serving.tools.calls import OpenMemory, SharedMemory
from r_memory.serving.tools.offer import Offer
from r_memory.serving.tools.showing import offer_page
from r_memory.serving.tools.strict import StrictServer

MAX_BODY = 2 * 1024 * 1024
"""Most bytes of a request: the longest document, escaped, and some room."""
MAX_CALL = 8 * 1024 * 1024
"""Most bytes of a call with a part of a record."""
_URLS = TypeAdapter(AnyHttpUrl, config=ConfigDict(url_preserve_empty_path=True))
_LOCAL_PAGES = rf"http://({'|'.join(map(re.escape, LOOPBACK_NAMES))})(:[0-9]+)?"
_HEALTH_S = 2.0
_HEALTH_KEPT_S = 1.0


Opened = Callable[[], Awaitable[Memory]]
"""Returns the open memory."""
Pages = Callable[[Opened, HttpPlan], ASGIApp]
"""Returns the application with pages for people over a memory; it identifies its callers itself."""


def application(
    open_memory: OpenMemory,
    plan: HttpPlan,
    offer: Offer,
    *,
    pages: Pages | None = None,
    cards: Pages | None = None,
) -> ASGIApp:
    """Returns the ASGI application; it opens the memory when it starts.

    `pages` serve all paths except those of the protocol. `cards` serve other programs, behind the same tokens as the
    tools.
    """
    settings = plan.settings
    server = surface.build(open_memory, offer, shared=plan.asks_for_token)
    local = LOOPBACK_NAMES if plan.address.loopback and not plan.asks_for_token else ()
    manager = server.http_manager(max_body=MAX_BODY)
    routes = [Route(HEALTH, _health(server))]
    middleware = _cors(settings, local=bool(local), cards=cards is not None)
    metadata_url = None
    if settings.http_issuer:
        resource, issuer = _url(settings.http_resource), _url(settings.http_issuer)
        metadata_url = build_resource_metadata_url(resource)
        routes += create_protected_resource_routes(resource, [issuer], scopes_supported=list(SCOPES))

    def guarded(app: ASGIApp, longest: int) -> ASGIApp:
        """What asks who calls, where a token is asked for."""
        if not plan.asks_for_token:
            return RequestBodyLimitMiddleware(app, longest)
        told = "" if metadata_url is None else str(metadata_url)
        gate = Gate(app, server=server, metadata_url=told)
        return RequireAuthMiddleware(RequestBodyLimitMiddleware(gate, longest), [READ], metadata_url)

    async def opened() -> Memory:
        if server.shared is None:
            raise StoreUnavailable("the memory is not open yet; try again in a moment")
        return await server.shared.get()

    if plan.asks_for_token:
        backend = BearerAuthBackend(Verifier(plan))
        middleware += [Middleware(AuthenticationMiddleware, backend=backend), Middleware(AuthContextMiddleware)]
    # Without sessions there is no stream to open and nothing to end.
    routes.append(Route(PATH, guarded(manager.handle_request, MAX_BODY), methods=["POST"]))
    if cards is not None:
        answering = cards(partial(_of_caller, opened), plan)
        routes.append(Route(CARDS, answering, methods=["GET"]))
        routes.append(Route(f"{CARDS}/{{rest:path}}", guarded(answering, MAX_CALL), methods=["POST"]))
    app = Starlette(routes=routes, middleware=middleware, lifespan=lambda _: manager.run())
    # A redirect names its own scheme: behind a proxy that speaks TLS, a client would send its token in clear.
    app.router.redirect_slashes = False
    tools = RequestDoor(app, addressing=Addressing(plan.hosts, settings.http_origins, local=local))
    if pages is None:
        return tools
    offer_page(server, settings.http_resource)
    return _Beside(tools, page_door(pages(opened, plan), plan))


async def _of_caller(opened: Opened) -> Memory:
    """Returns the open memory, in the space of whoever calls."""
    memory, by = await opened(), caller()
    return memory if by is None else memory.in_space(space_of(by))


def page_application(open_memory: OpenMemory, plan: HttpPlan, pages: Pages) -> ASGIApp:
    """Returns an application with pages only; it opens the memory when it starts."""
    shared = SharedMemory(open_memory)
    own = Starlette(lifespan=lambda _: shared.running())
    return _Beside(own, page_door(pages(shared.get, plan), plan), nothing=True)


def page_door(pages: ASGIApp, plan: HttpPlan) -> RequestDoor:
    """Returns the pages behind the tools' door, which only their own pages may call."""
    return RequestDoor(pages, addressing=Addressing(plan.hosts, (), own=True))


def _cors(settings: Settings, *, local: bool, cards: bool) -> list[Middleware]:
    """Returns the headers that allow browsers to read answers; `cards` also allow pages of this machine."""
    if not settings.http_origins and not cards:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=list(settings.http_origins),
            allow_origin_regex=_LOCAL_PAGES if cards and local else None,
            allow_methods=["GET", "POST"] if cards else ["POST"],
            allow_headers=["*"],
        )
    ]


class _Beside:
    """Joins two applications: the first has the protocol's paths and the process's start, the second all others."""

    def __init__(self, tools: ASGIApp, pages: ASGIApp, *, nothing: bool = False) -> None:
        self._tools, self._pages, self._nothing = tools, pages, nothing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        own = scope["type"] != "http" or (not self._nothing and _is_protocol(scope["path"]))
        await (self._tools if own else self._pages)(scope, receive, send)


def _is_protocol(path: str) -> bool:
    return path in {PATH, HEALTH, CARDS} or path.startswith(("/.well-known/", f"{CARDS}/"))


def _url(text: str) -> AnyHttpUrl:
    """Returns the address unchanged:

    clients compare issuers literally, and a normalised one may have one more slash.
    """
    url: AnyHttpUrl = _URLS.validate_python(text)
    return url


def _health(server: StrictServer) -> Callable[[Request], Awaitable[JSONResponse]]:
    """Returns a handler that tells monitoring only whether the store answers; it asks at most once a second."""
    asked_at, well = float("-inf"), False

    async def answer(_: Request) -> JSONResponse:
        """200 while the store answers, 503 while it does not or is being opened."""
        nonlocal asked_at, well
        if time.monotonic() - asked_at > _HEALTH_KEPT_S:
            asked_at = time.monotonic()
            well = await _answers(server)
        return JSONResponse({"status": "ok" if well else "store down"}, status_code=200 if well else 503)

    return answer


async def _answers(server: StrictServer) -> bool:
    if server.shared is None:
        return False
    try:
        with anyio.fail_after(_HEALTH_S):
            return (await (await server.shared.get()).describe()).health is not None
    except (RMemoryError, TimeoutError):
        return False
