"""`web`: the page of one installation, for the person at this machine."""

import getpass
import re
import webbrowser
from typing import TYPE_CHECKING, Annotated

from typer import Option

from r_memory.cli.options import Home, Space, settings_of
from r_memory.errors import ConfigurationError, adding
from r_memory.serving.http.plan import parse_address, planned

if TYPE_CHECKING:  # needs the extra
    from r_memory.web.app import Site

LISTEN = "127.0.0.1:8765"


def web(
    listen: Annotated[str, Option("--listen", metavar="HOST:PORT", help="Where it answers.")] = LISTEN,
    decide: Annotated[
        bool, Option("--decide", help="Whoever opens the printed address may decide; else it reads only.")
    ] = False,
    browser: Annotated[bool, Option("--browser/--no-browser", help="Open it in the browser.")] = True,
    home: Home = None,
    space: Space = None,
) -> None:
    """Shows what is remembered, what waits, and what was shown, as pages in a browser.

    It prints an address with a token of this start, unless tokens are set for serving over HTTP: then it asks for one.
    Reads only, unless --decide is given or a token has memory:review.
    """
    from r_memory.serving.http.service import serve_pages  # noqa: PLC0415 - late: `serve` takes the pages from here

    site = pages_of(who=user_name(), decides=decide)
    from r_memory.web.visits import own_token  # noqa: PLC0415 - needs the extra, which `pages_of` asks for

    plan = planned(settings_of(home, space), parse_address(listen))
    if not plan.address.port:
        raise ConfigurationError("the page needs a port of its own; give one, such as 127.0.0.1:8765")
    path = "/" if plan.asks_for_token else f"/enter?token={own_token(plan)}"
    scheme = "https" if plan.settings.http_cert else "http"
    address = f"{scheme}://{plan.address.name}:{plan.address.port}{path}"
    print(f"The page: {address}", flush=True)
    if browser:
        webbrowser.open(address)
    serve_pages(plan, site)


def pages_of(*, who: str = "", decides: bool = False) -> "Site":
    """Returns the pages.

    Raises:
        ConfigurationError: the extra is not installed.
    """
    try:
        from r_memory.web.app import Site  # noqa: PLC0415 - late, needs the extra
    except ModuleNotFoundError as error:
        if error.name != "jinja2":
            raise
        raise ConfigurationError(f"the page needs the package {error.name}; run: {adding('web')}") from error
    return Site(who=who, decides=decides)


def user_name() -> str:
    """Returns the name of this machine's user, in the form of a token's name."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        name = ""
    return re.sub(r"[^A-Za-z0-9_.@-]", "_", name).lstrip("_.@-")[:64] or "page"
