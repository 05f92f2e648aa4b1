"""Reports of `eval` and `bench`: printed for people, written for people and programs."""

import json
import os
import time
from pathlib import Path
from typing import Annotated

from typer import Option

from r_memory.cli.printing import print_parts, print_table
from r_memory.domain.instants import iso_day
from r_memory.errors import InvalidInput
from r_memory_lab.evals.reports import SuiteReport, shown

JsonFile = Annotated[Path | None, Option("--json", metavar="FILE", help="Write the report as JSON.")]
MarkdownFile = Annotated[
    Path | None, Option("--report", metavar="FILE", help="Write the report as Markdown: numbers and ids.")
]


def today() -> str:
    """Returns the UTC day for reports."""
    return iso_day(int(time.time() * 1000))


def check_writable(*files: Path | None) -> None:
    """Checks before the work that its results can be written.

    Raises:
        InvalidInput: a file cannot be written.
    """
    for file in filter(None, files):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"{file} cannot be written ({error.strerror}); name another file") from error
        if file.is_dir() or not os.access(file if file.exists() else file.parent, os.W_OK):
            raise InvalidInput(f"{file} cannot be written; name another file")


def save(report: SuiteReport, *, as_json: Path | None, as_markdown: Path | None) -> None:
    """Writes the report to the requested files."""
    if as_json is not None:
        as_json.write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
    if as_markdown is not None:
        as_markdown.write_text(report.as_markdown(), encoding="utf-8")


def print_report(report: SuiteReport) -> None:
    """Prints the figures, for a benchmark by table; details and figures of parts are only in the files."""
    items = f"{report.items} items, " if report.items else ""
    print_parts(f"{report.suite}: {items}route {report.route}, store {report.store}")
    groups = {} if report.items else report.groups
    for title, figures in {"": report.figures, **groups}.items():
        if title:
            print_parts(f"\n{title}")
        if figures:
            rows = [(figure.name, *shown(figure), figure.n, figure.aim) for figure in figures]
            print_table(("Figure", "Value", "95 % interval", "n", "Aim"), rows)
    for note in report.notes:
        print_parts(note)
