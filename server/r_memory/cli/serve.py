"""`serve`: the MCP server, for clients that start it, or over HTTP for those that do not."""

import sys
from typing import Annotated

import typer
from typer import Option

from r_memory.cli.options import Home, Space, settings_of
from r_memory.cli.paging import pages_of
from r_memory.errors import InvalidInput
from r_memory.serving import server
from r_memory.serving.tools.offer import Offer

_HTTP = "Answer over streamable HTTP at this address instead; on any but 127.0.0.1 callers need a token."


def serve(
    http: Annotated[str | None, Option("--http", metavar="HOST:PORT", help=_HTTP)] = None,
    home: Home = None,
    space: Space = None,
    read_only: Annotated[bool, Option("--read-only", help="Offer no tool that writes.")] = False,
    audit: Annotated[bool, Option("--audit", help="Offer audits over everything stored.")] = False,
    web: Annotated[
        bool,
        Option("--web", help="With --http: pages for people beside it, at the same address; they ask for a token."),
    ] = False,
    cds: Annotated[
        bool,
        Option("--cds", help="With --http: CDS Hooks 2.0 at /cds-services, for systems of others; same tokens."),
    ] = False,
    hooks: Annotated[bool, Option("--hooks", help="Offer the tool that a host's hook calls.")] = False,
) -> None:
    """Answers MCP clients over standard input and output, or over HTTP.

    Clients such as Claude Code start it themselves: `claude mcp add r-memory -- r-memory serve`. Standard output
    belongs to the protocol; the log is on standard error. Files that are wrong end it at once, with exit code 2.
    """
    settings = settings_of(home, space)
    offer = Offer(read_only=read_only, audit=audit, hooks=hooks)
    if http is None and web:
        raise InvalidInput("--web shows pages over HTTP; give --http HOST:PORT as well, or use `r-memory web`")
    if http is None and cds:
        raise InvalidInput("--cds answers calls over HTTP; give --http HOST:PORT as well")
    if http is None:
        if sys.stdin.isatty():
            typer.echo(
                "Waits for an MCP client on standard input; `r-memory install CLIENT` lets one start it.", err=True
            )
        server.serve(settings, offer)
    else:
        from r_memory.serving.http.service import serve_http  # noqa: PLC0415 - late: standard streams need none of it

        cards = None
        if cds:
            from r_memory.cds.app import CardService  # noqa: PLC0415 - late: loaded only where it is served

            cards = CardService(read_only=read_only)
        serve_http(settings, http, offer, pages=pages_of() if web else None, cards=cards)
