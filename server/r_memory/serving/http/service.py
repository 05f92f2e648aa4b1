"""One installation as a service: tools, pages and cards at one address."""

from functools import partial

from starlette.types import ASGIApp

from r_memory.config.settings import Settings
from r_memory.serving.http.app import Pages, application, page_application
from r_memory.serving.http.plan import HttpPlan, parse_address, planned
from r_memory.serving.http.serving import run
from r_memory.serving.logs import log_to_standard_error
from r_memory.serving.server import opened, prepare_process
from r_memory.serving.tools.offer import USUAL, Offer


def serve_http(
    settings: Settings, address: str, offer: Offer = USUAL, *, pages: Pages | None = None, cards: Pages | None = None
) -> None:
    """Serves MCP over streamable HTTP at `HOST:PORT` until it is stopped.

    `pages` serve people, and `cards` the programs of a clinic, at the same address.
    """
    log_to_standard_error()
    plan = planned(settings, parse_address(address))
    told = offer.of(settings)  # a mistake is told here, before anything listens

    def made() -> ASGIApp:
        prepare_process()
        return application(partial(opened, settings), plan, told, pages=pages, cards=cards)

    run(plan, made)


def serve_pages(plan: HttpPlan, pages: Pages, *, path: str = "/") -> None:
    """Serves only pages for people until it is stopped; `path` is the first page."""
    log_to_standard_error()

    def made() -> ASGIApp:
        prepare_process()
        return page_application(partial(opened, plan.settings), plan, pages)

    run(plan, made, path=path)
