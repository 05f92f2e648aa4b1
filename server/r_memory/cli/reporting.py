"""Reports of `eval` and `bench`: printed for people, written for people and programs."""

import json
import time
from pathlib import Path

from r_memory.cli.printing import print_line, print_table
from r_memory.domain.instants import iso_day
from r_memory.errors import InvalidInput
from r_memory.evals.reports import Report, shown


def today() -> str:
    """The UTC day that reports carry."""
    return iso_day(int(time.time() * 1000))


def save(report: Report, *, as_json: Path | None, as_markdown: Path | None) -> None:
    """Writes the report where it is asked for.

    Raises:
        InvalidInput: a file cannot be written.
    """
    if as_json is not None:
        write(as_json, json.dumps(report.as_json(), indent=2) + "\n")
    if as_markdown is not None:
        write(as_markdown, report.as_markdown())


def write(path: Path, text: str) -> None:
    """Writes a file, with the folders above it.

    Raises:
        InvalidInput: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InvalidInput(f"{path} cannot be written ({reason}); name another file") from error


def print_report(report: Report) -> None:
    """The figures; details are for the files."""
    print_line(f"{report.suite}: {report.items} items, route {report.route}, store {report.store}")
    rows = [(figure.name, *shown(figure), figure.n, figure.aim) for figure in report.figures]
    print_table(("Figure", "Value", "95 % interval", "n", "Aim"), rows)
    for note in report.notes:
        print_line(note)
