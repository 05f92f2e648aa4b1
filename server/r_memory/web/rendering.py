"""Templates and the headers that every page goes out with: the only importer of `jinja2`.

Whatever people said is escaped, and made inert before: no template marks a text as safe.
"""

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from r_memory.domain.changes import shown_status
from r_memory.domain.instants import DATE_UNKNOWN, UNDATED, Instant, iso_seconds
from r_memory.text.inert import inert, inert_name

FROM_HERE_ONLY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": FROM_HERE_ONLY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    # Not `no-referrer`: a form would then be sent without the origin that it is checked by.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
STATIC = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "graph.js": "text/javascript",
    "vendor/cytoscape.min.js": "text/javascript",
    "vendor/cytoscape.LICENSE": "text/plain",
}
"""Static files and their media types; other files are not served."""


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("r_memory.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(words=inert, name=inert_name, when=_when, status=shown_status)
    return found


def _when(instant: Instant) -> str:
    return DATE_UNKNOWN if instant == UNDATED else iso_seconds(instant)


def shown(template: str, *, status: int = 200, **values: Any) -> Response:  # noqa: ANN401 - what a template takes
    """Returns the rendered template as a response."""
    return HTMLResponse(_templates().get_template(template).render(**values), status_code=status, headers=HEADERS)


def text_of(template: str, **values: Any) -> str:  # noqa: ANN401 - what a template takes
    """Returns the rendered template as text."""
    return _templates().get_template(template).render(**values)


def static(name: str) -> Response | None:
    """Returns a static file; `None` for an unknown name."""
    kind = STATIC.get(name)
    if kind is None:
        return None
    content = resources.files("r_memory.web").joinpath("static", *name.split("/")).read_bytes()
    return Response(content, media_type=kind, headers={**HEADERS, "Cache-Control": "max-age=3600"})
