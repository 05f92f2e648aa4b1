"""A report: figures, what they were measured on, and the command that made them; as Markdown for people and JSON for
machines.

Holds numbers and ids, never a sentence of the data.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from r_memory.evals.measures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The outcome of one suite on one body of data."""

    suite: str
    date: str
    """UTC day."""
    command: str
    route: str
    """Which extraction or classification ran: `rules`, `model`."""
    store: str
    schema_version: str
    pack_version: str
    items: int
    figures: tuple[Figure, ...]
    details: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Heading to ids of the items behind it, such as those missed."""
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """Plain values, for `json.dump`."""
        return asdict(self)

    def as_markdown(self) -> str:
        """A page that stands alone."""
        head = [
            f"# {self.suite}, {self.date}",
            "",
            "```console",
            f"$ {self.command}",
            "```",
            "",
            self._measured_on(),
            "",
            "| figure | value | 95 % interval | n | aim |",
            "|---|---|---|---|---|",
        ]
        rows = [_row(figure) for figure in self.figures]
        notes = ["", *self.notes] if self.notes else []
        details = [
            line for title, ids in self.details.items() for line in ("", f"## {title} ({len(ids)})", "", _ids(ids))
        ]
        return "\n".join([*head, *rows, *notes, *details]) + "\n"

    def _measured_on(self) -> str:
        return (
            f"Route {self.route}; store {self.store}; schema {self.schema_version}; knowledge {self.pack_version}; "
            f"{self.items} items; Python {platform.python_version()}."
        )


def _row(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return f"| {figure.name} | {figure.value:g} | - | {figure.n} | {figure.aim} |"
    return f"| {figure.name} | {figure.value:.3f} | {figure.low:.3f}-{figure.high:.3f} | {figure.n} | {figure.aim} |"


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids) if ids else "none"
