"""A report: figures, what they were measured on, and the command that made them; Markdown for people, JSON for
machines.

Holds numbers and ids, never a sentence of the data, and nothing of the machine's folders.
"""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from r_memory_lab.evals.measures import Figure
from r_memory_lab.evals.outcomes import CaseOutcome

_HEAD = ("| figure | value | 95 % interval | n | aim |", "|---|---|---|---|---|")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport(CaseOutcome):
    """The outcome of one suite on one set of data, or of one benchmark."""

    suite: str
    title: str = ""
    date: str
    """UTC day."""
    command: str
    route: str
    """The reading route: `rules`, `model`."""
    store: str
    schema: str = ""
    """Name of the domain; empty if it does not matter."""
    schema_version: str
    pack_version: str
    items: int = 0
    """Rows of the data; 0 for a benchmark."""

    def as_json(self) -> dict[str, object]:
        """Returns JSON values."""
        return asdict(self)

    def as_markdown(self) -> str:
        """Returns a complete page."""
        heading = f"# {self.suite}: {self.title}, {self.date}" if self.title else f"# {self.suite}, {self.date}"
        head = [heading, "", "```console", f"$ {self.command}", "```", "", self._measured_on(), ""]
        tables = [line for title, figures in self.groups.items() for line in ("", f"## {title}", "", *_table(figures))]
        notes = [line for note in self.notes for line in ("", note)]
        details = [
            line for title, ids in self.details.items() for line in ("", f"## {title} ({len(ids)})", "", _ids(ids))
        ]
        return "\n".join([*head, *_table(self.figures), *notes, *tables, *details]) + "\n"

    def _measured_on(self) -> str:
        items = f"{self.items} items; " if self.items else ""
        schema = f"{self.schema} {self.schema_version}".strip()
        return (
            f"Route {self.route}; store {self.store}; schema {schema}; knowledge {self.pack_version}; "
            f"{items}Python {platform.python_version()}."
        )


def shown(figure: Figure) -> tuple[str, str]:
    """Returns value and interval as text."""
    if figure.is_share:
        return f"{figure.value:.3f}", _interval(figure, ".3f")
    unit = f" {figure.unit}" if figure.unit else ""
    return f"{figure.value:.4g}{unit}", _interval(figure, ".4g")


def _interval(figure: Figure, form: str) -> str:
    if figure.low is None or figure.high is None:
        return "-"
    return f"{figure.low:{form}}-{figure.high:{form}}"


def _table(figures: Iterable[Figure]) -> list[str]:
    rows = [(figure, *shown(figure)) for figure in figures]
    return [*_HEAD, *(f"| {f.name} | {value} | {interval} | {f.n} | {f.aim} |" for f, value, interval in rows)]


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(ids) if ids else "none"
