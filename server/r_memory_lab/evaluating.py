"""`eval`: measures quality on data, with the whole system on a store of its own that is removed afterwards."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from r_memory.cli.options import Home, settings_of
from r_memory.cli.printing import counted, progress
from r_memory.cli.running import with_memory
from r_memory.config.settings import Settings
from r_memory.domain.facts import Route
from r_memory.errors import InvalidInput
from r_memory.memory import Memory
from r_memory.wiring import open_memory, open_model
from r_memory_lab.bench.clients import served
from r_memory_lab.bench.core import environment
from r_memory_lab.evals import answers
from r_memory_lab.evals.evaluation import command_line, evaluate, suite_named
from r_memory_lab.evals.reports import SuiteReport
from r_memory_lab.evals.rows import DataRow, as_lines
from r_memory_lab.evals.suites import SUITES
from r_memory_lab.profiles import COMPARED
from r_memory_lab.reporting import JsonFile, MarkdownFile, check_writable, print_report, save, today

ANSWERS, LIVES, PLAY, LETTERS = "answers", "lives", "play", "letters"
_LONGEST = 200_000
"""Most characters of a turn: real dialogues have longer turns than a server accepts by default."""


def eval(  # noqa: A001 - a command's function has its name
    suite: Annotated[str, typer.Argument(metavar="SUITE", help=f"One of {', '.join(SUITES)}.")],
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="Folder of the data; for `sentences` and `drafts` a YAML file."),
    ],
    predictions: Annotated[
        Path | None, typer.Option("--predictions", metavar="FILE", help="Write what came of each row, as JSON lines.")
    ] = None,
    json: JsonFile = None,
    report: MarkdownFile = None,
    route: Annotated[
        Literal["rules", "model"] | None,
        typer.Option("--route", help="Read by the rules alone, or by the model as well. [default: as in the settings]"),
    ] = None,
    judged: Annotated[
        Path | None,
        typer.Option("--judged", metavar="FILE", help="For `answers`: predictions whose `right` a person decided."),
    ] = None,
    home: Home = None,
) -> None:
    """Measures quality on data: recall, false alarms, leaks, with 95 % intervals.

    Tells everything to the whole system, on a store of its own that is removed afterwards, and compares what it then
    knows with what people found. The exit code says nothing about the figures.
    """
    rows = suite_named(suite).rows(data)
    kept = answers.judged(judged) if judged else ()
    check_writable(predictions, json, report)
    with tempfile.TemporaryDirectory(prefix="r-memory-eval-") as folder:
        settings = _by_route(_alone(settings_of(home), Path(folder)), route)
        command = _chosen(settings) + command_line(
            "eval", suite, options={"--data": data, "--route": route, "--home": home}
        )
        found, made = with_memory(
            settings, lambda memory: _evaluated(memory, settings, suite, rows, command, kept), COMPARED, in_bulk=True
        )
    if predictions is not None:
        predictions.write_text(as_lines(found), encoding="utf-8")
    save(made, as_json=json, as_markdown=report)
    print_report(made)


async def _evaluated(
    memory: Memory, settings: Settings, suite: str, rows: Sequence[DataRow], command: str, judged: Sequence[DataRow]
) -> tuple[Sequence[DataRow], SuiteReport]:
    async with AsyncExitStack() as stack:
        asked: dict[str, object] = {}
        if suite == ANSWERS and not judged:
            if not (settings.model_url and settings.model_name):
                raise InvalidInput("answers need a model; set R_MEMORY_MODEL_URL and R_MEMORY_MODEL_NAME")
            asked["chat"] = await stack.enter_async_context(open_model(settings))
        if suite == LIVES:
            log = settings.data_dir / "server.log"
            asked["client"] = await served(stack, environment(settings, os.environ), log)
        if suite in {PLAY, LETTERS}:
            asked["opened"] = lambda schema: open_memory(
                replace(settings, schema=schema, data_dir=settings.data_dir / schema)
            )
        step = stack.enter_context(progress(suite, len(rows)))
        found, made = await evaluate(
            memory,
            suite,
            rows,
            date=today(),
            command=command,
            route=route_of(settings),
            done=step,
            asked=asked,
            judged=judged,
        )
    unread = await memory.unread()
    if not unread or Route.MODEL not in settings.routes:
        return found, made
    note = f"The model failed on {counted(unread, 'statement')}, read by the rules alone: its own figures are others."
    return found, replace(made, notes=(*made.notes, note))


def _alone(settings: Settings, folder: Path) -> Settings:
    """Returns the settings with an empty embedded store, apart from the installation's memory."""
    return replace(
        settings,
        data_dir=folder,
        store_uri="",
        store_password="",
        space="eval",
        single_subject="",
        max_text=_LONGEST,
    )


def _chosen(settings: Settings) -> str:
    """Returns the text in front of the command if its schema or embedder is not the default."""
    usual = Settings()
    schema = "" if settings.schema == usual.schema else f"R_MEMORY_SCHEMA={settings.schema} "
    if settings.embedder == usual.embedder:
        return schema
    model = f"R_MEMORY_EMBEDDER_MODEL=.../{Path(settings.embedder_model).name} " if settings.embedder_model else ""
    return f"{schema}R_MEMORY_EMBEDDER={settings.embedder} {model}"


def _by_route(settings: Settings, route: str | None) -> Settings:
    """Returns the settings with the routes and the judge that the command names."""
    if route is None:
        return settings
    if route == "model":
        return replace(settings, routes=(Route.RULES, Route.MODEL), controller="model")
    return replace(settings, routes=(Route.RULES,), controller="local")


def route_of(settings: Settings) -> str:
    """Returns what reads the words; a client's triples do not matter here."""
    names = {Route.RULES: "rules", Route.MODEL: f"model ({settings.model_name})"}
    return " + ".join(names[route] for route in settings.routes if route in names) or "none"
