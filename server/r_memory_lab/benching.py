"""`bench`: measures speed and losses, on stores of its own that are removed afterwards."""

import asyncio
import secrets
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from r_memory.cli.options import Home, settings_of
from r_memory.cli.printing import progress
from r_memory.cli.running import keep_logs_quiet
from r_memory.errors import InvalidInput, UnknownName
from r_memory.wiring import open_memory
from r_memory_lab.bench.core import PARTS, SUITES, BenchPlan, measured_stream, run, store_names
from r_memory_lab.bench.killed import KILLS
from r_memory_lab.bench.load import BESIDE, SENTENCES
from r_memory_lab.bench.steps import STEPS
from r_memory_lab.bench.trials import TRIALS
from r_memory_lab.evals.evaluation import command_line, report_of
from r_memory_lab.evals.reports import SuiteReport
from r_memory_lab.reporting import JsonFile, MarkdownFile, check_writable, print_report, save, today

SIZES = (1_000, 10_000, 100_000)
STREAM_SIZES = (10, 100, *SIZES)
_ON_NEO4J = (
    "Measure the Neo4j of R_MEMORY_STORE_URI as well. A new space is filled there and left: name a database to throw "
    "away."
)
Parts = Annotated[
    list[str] | None,
    typer.Option("--part", metavar="PART", help=f"Only this part, of {', '.join(PARTS)}; may be repeated."),
]
Facts = Annotated[
    list[int] | None,
    typer.Option(
        "--facts", min=100, metavar="N", help="Facts in the store, each again, for `context`, `beside`, `pages`."
    ),
]
Items = Annotated[
    list[int] | None,
    typer.Option("--items", min=10, metavar="N", help="Turns in the stream, for `stream`; may be repeated."),
]
Kills = Annotated[int, typer.Option("--kills", min=1, metavar="N", help="Processes to kill, in all, for `kills`.")]
Steps = Annotated[
    list[str] | None,
    typer.Option("--step", metavar="STEP", help=f"Kill in this step only, of {', '.join(STEPS)}; may be repeated."),
]
Corpus = Annotated[Path, typer.Option("--corpus", metavar="FOLDER", help="Held-out sentences, for `load`.")]
Sentences = Annotated[int, typer.Option("--sentences", min=1, metavar="N", help="Sentences to read, for `load`.")]
Beside = Annotated[int, typer.Option("--beside", min=0, metavar="N", help="Busy processes, for `load`.")]


def bench(
    suite: Annotated[str, typer.Argument(metavar="SUITE", help=f"One of {', '.join(SUITES)}.")],
    part: Parts = None,
    facts: Facts = None,
    items: Items = None,
    trials: Annotated[int, typer.Option("--trials", min=1, help="How often John Doe comes, for `trials`.")] = TRIALS,
    seed: Annotated[int, typer.Option("--seed", help="Chooses subjects, words and order.")] = 7,
    kills: Kills = KILLS,
    step: Steps = None,
    corpus: Corpus = Path("corpus"),
    sentences: Sentences = SENTENCES,
    beside: Beside = BESIDE,
    neo4j: Annotated[bool, typer.Option("--neo4j", help=_ON_NEO4J)] = False,
    json: JsonFile = None,
    report: MarkdownFile = None,
    home: Home = None,
) -> None:
    """Measures speed and losses: percentiles, restarts, kills.

    `stream` is the conversational memory: append and search as it grows. `http` is a server process with its clients:
    over HTTP twenty at once, and over stdio. `core` is everything else: percentiles of `build_context` and `remember`,
    the first answer after a start and the memory that it takes, John Doe under restarts, and writes under kills.
    `beside` is other memory servers in the same run, installed by npm and pip into the cache.
    `text` is how the time to read hostile texts grows with their length. `where` is one call step by step, computing
    and waiting apart. `gates` is what the proxy computes of its own, beside a bare hop.
    `pages` is how long the page takes, `records` how many resources of FHIR are read and stored in a second.
    `kills` is what processes leave that are killed anywhere in a step. `load` is whether the same words give the same
    facts on a busy machine.
    Takes minutes. The exit code says nothing about the figures.
    """
    given = dict(locals())
    _check_names(suite, part or (), step or ())
    parts = part or list(SUITES[suite])
    sizes = (items or list(STREAM_SIZES)) if suite == "stream" else (facts or list(SIZES))
    check_writable(json, report)
    settings = settings_of(home)
    if neo4j and settings.embedded:
        raise InvalidInput("--neo4j needs an address; set R_MEMORY_STORE_URI, or start one with scripts/neo4j start")
    command = command_line("bench", suite, options={f"--{name}": given[name] for name in _repeated(suite)})
    keep_logs_quiet()
    with tempfile.TemporaryDirectory(prefix="r-memory-bench-") as folder:
        plan = BenchPlan(
            settings=settings,
            folder=Path(folder),
            parts=parts,
            sizes=sizes,
            trials=trials,
            seed=seed,
            neo4j_space=f"bench-{secrets.token_hex(4)}" if neo4j else "",
            begin=progress,
            kills=kills,
            steps=step or tuple(STEPS),
            corpus=corpus,
            sentences=sentences,
            beside=beside,
        )
        made = asyncio.run(_measured(suite, plan, command))
    save(made, as_json=json, as_markdown=report)
    print_report(made)


def _repeated(suite: str) -> Sequence[str]:
    """Returns the names of the options that the report's command repeats."""
    own = {"kills": ("kills", "step"), "load": ("sentences", "beside")}
    return ("part", "facts", "items", "trials", "seed", *own.get(suite, ()), "neo4j", "home")


def _check_names(suite: str, parts: Sequence[str], steps: Sequence[str]) -> None:
    if suite not in SUITES:
        raise UnknownName("benchmark", suite, list(SUITES))
    for name in parts:
        if name not in PARTS:
            raise UnknownName("part", name, list(PARTS))
    for name in steps:
        if name not in STEPS:
            raise UnknownName("step", name, list(STEPS))


async def _measured(suite: str, plan: BenchPlan, command: str) -> SuiteReport:
    outcome = await (measured_stream(plan) if suite == "stream" else run(plan))
    async with open_memory(plan.embedded("shared")) as memory:
        described = await memory.describe()
    return report_of(
        outcome,
        described,
        suite=f"bench {suite}",
        title="append and search as the stream grows" if suite == "stream" else "speed and losses",
        date=today(),
        command=command,
        route="rules",
        store=", ".join(await store_names(plan)),
    )
