"""One request of a known visitor, as a page takes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from r_memory.domain.instants import Instant, parse_instant
from r_memory.memory import Memory
from r_memory.serving.http.plan import HttpPlan
from r_memory.web.rendering import shown
from r_memory.web.visits import Visitor


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What a page knows of the request."""

    request: Request
    memory: Memory
    """In the visitor's space."""
    visitor: Visitor
    plan: HttpPlan
    fields: Mapping[str, str]
    """Of the form that was sent; none where nothing was."""

    def asked(self, name: str) -> str:
        """What the address says under a name; empty for nothing."""
        return self.request.query_params.get(name, "")

    def number(self, name: str) -> int:
        """A number of the address; 0 for none."""
        text = self.asked(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

    @property
    def as_of(self) -> Instant | None:
        """The day or instant of the address, a day to its end in UTC; `None`: now."""
        text = self.asked("as_of").strip()
        if not text:
            return None
        return parse_instant(f"{text}T23:59:59.999Z" if len(text) == 10 else text)

    def page(self, template: str, *, title: str, status: int = 200, **values: Any) -> Response:  # noqa: ANN401 - of the template
        """The page that a template makes, for this visitor."""
        return shown(template, status=status, title=title, visitor=self.visitor, **values)
