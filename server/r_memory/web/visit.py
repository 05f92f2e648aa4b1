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
    """The request, as a page sees it."""

    request: Request
    memory: Memory
    """The memory of the visitor's space."""
    visitor: Visitor
    plan: HttpPlan
    fields: Mapping[str, str]
    """Fields of the submitted form; empty without one."""

    def asked(self, name: str) -> str:
        """Returns a parameter of the address; empty if absent."""
        return self.request.query_params.get(name, "")

    def number(self, name: str) -> int:
        """Returns a number of the address; 0 if absent."""
        text = self.asked(name)
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

    def part_of(self, number: int, at_once: int) -> dict[str, int]:
        """Returns where the page of a list starts, and the next one; 0: it is the last."""
        start = self.number("from")
        return {"start": start, "following": start + at_once if number > start + at_once else 0}

    @property
    def as_of(self) -> Instant | None:
        """The day or instant of the address, a day until its end in UTC; `None`: now."""
        text = self.asked("as_of").strip()
        if not text:
            return None
        return parse_instant(f"{text}T23:59:59.999Z" if len(text) == 10 else text)

    def page(self, template: str, *, title: str, status: int = 200, **values: Any) -> Response:  # noqa: ANN401 - of the template
        """Returns the rendered template for this visitor."""
        return shown(template, status=status, title=title, visitor=self.visitor, **values)
