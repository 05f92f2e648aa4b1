"""`eval`: measures quality on data, with the whole system on a store of its own that is removed afterwards."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.options import Home, settings_of
from r_memory.cli.printing import progress
from r_memory.cli.reporting import check_writable, print_report, save, today
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.evals.evaluation import command_line, evaluate, suite_named
from r_memory.evals.reports import Report
from r_memory.evals.rows import Row, as_lines
from r_memory.evals.suites import SUITES
from r_memory.memory import Memory

_LONGEST = 200_000
"""Real dialogues hold longer turns than a server takes by default."""


def eval(  # noqa: A001 - a command's function has its name
    suite: Annotated[str, typer.Argument(metavar="SUITE", help=f"One of {', '.join(SUITES)}.")],
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="Folder of the data; for `sentences` a YAML file.")
    ],
    predictions: Annotated[
        Path | None, typer.Option("--predictions", metavar="FILE", help="Write what came of each row, as JSON lines.")
    ] = None,
    json: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON.")] = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Write the report as Markdown: numbers and ids.")
    ] = None,
    home: Home = None,
) -> None:
    """Measures quality on data: recall, false alarms, leaks, with 95 % intervals.

    Tells everything to the whole system, on a store of its own that is removed afterwards, and compares what it then
    knows with what people found. The exit code says nothing about the figures.
    """
    rows = suite_named(suite).rows(data)
    check_writable(predictions, json, report)
    command = command_line("eval", suite, options={"--data": data, "--home": home})
    with tempfile.TemporaryDirectory(prefix="r-memory-eval-") as folder:
        settings = _alone(settings_of(home), Path(folder))
        found, made = with_memory(settings, lambda memory: _evaluated(memory, settings, suite, rows, command))
    if predictions is not None:
        predictions.write_text(as_lines(found), encoding="utf-8")
    save(made, as_json=json, as_markdown=report)
    print_report(made)


async def _evaluated(
    memory: Memory, settings: Settings, suite: str, rows: Sequence[Row], command: str
) -> tuple[Sequence[Row], Report]:
    with progress(suite, len(rows)) as step:
        return await evaluate(memory, suite, rows, date=today(), command=command, route=route_of(settings), done=step)


def _alone(settings: Settings, folder: Path) -> Settings:
    """The same installation on an empty embedded store, away from everything that is remembered."""
    return replace(
        settings,
        data_dir=folder,
        store_uri="",
        store_password="",
        space="eval",
        single_subject="",
        max_text=_LONGEST,
    )


def route_of(settings: Settings) -> str:
    """What reads the words; triples of a client play no part here."""
    return " + ".join(route.value for route in settings.routes if route is not Route.CLIENT) or "none"
