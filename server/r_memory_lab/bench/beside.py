"""Part `beside`: the reference memory server of the Model Context Protocol in the same run, called by the same client.

Its npm package is installed into the cache of this installation by npm itself; where that cannot be done, the part says
so and is left out. Nothing of it belongs to r-memory.
"""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from r_memory_lab.bench.charts import Chart
from r_memory_lab.bench.clients import OurServer, Patients, ReferenceServer, Server, served, started
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import spread
from r_memory_lab.bench.turns import Turns, at_once, in_turn
from r_memory_lab.evals.measures import Figure, count, percentile
from r_memory_lab.evals.outcomes import Outcome

PACKAGE = "@modelcontextprotocol/server-memory@2026.8.31"
CALLS = 300
WRITERS = 20
AIMS = {10_000: "<= 1.0", 100_000: "<= 0.3"}
"""Facts in either store, to what is asked of our look-up over the other's."""
_WARM_UP = 100
_INSTALL_LIMIT_S = 300.0


class Missing(Exception):
    """The other server cannot be had; the message says why."""


def installed(folder: Path) -> Sequence[str]:
    """The command of the reference server, installed into the folder if it is not there.

    Raises:
        Missing: there is no npm, or it does not get the package.
    """
    main = folder / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Missing("there is no Node.js with npm on PATH")
    if not main.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = (npm, "install", "--no-audit", "--no-fund", "--no-save", "--prefix", str(folder), PACKAGE)
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, check=False, timeout=_INSTALL_LIMIT_S)  # noqa: S603 - fixed
    if not main.exists():
        raise Missing(f"npm could not install {PACKAGE}")
    return (node, str(main))


def write_graph(file: Path, charts: Iterable[Chart]) -> None:
    """The charts as the reference server keeps them: a line for each patient, whose facts are its observations."""
    with file.open("w", encoding="utf-8") as lines:
        for chart in charts:
            said = [f"{fact.relation} {fact.object.name} ({fact.status})" for fact in chart.batch.facts]
            entity = {"type": "entity", "name": chart.subject.id, "entityType": "Patient", "observations": said}
            print(json.dumps(entity), file=lines)


async def beside(
    environment: Mapping[str, str],
    *,
    reference: Sequence[str],
    graph: Path,
    patients: Patients,
    log: Path,
    facts: int,
    begin: Begin,
    calls: int = CALLS,
    warm_up: int = _WARM_UP,
) -> Outcome:
    """Look-ups and writes of both in turn, ours over the other's, and what twenty writers at once leave on each side.

    Both know the same patients; `graph` is the file of the other.
    """
    async with AsyncExitStack() as stack:
        ours = OurServer(await served(stack, environment, log), patients)
        its = {**os.environ, "MEMORY_FILE_PATH": str(graph)}
        theirs = ReferenceServer(await started(stack, reference, its, log), patients)
        with begin(f"both servers in turn at {facts:,} facts", calls) as step:
            turns = await in_turn([ours, theirs], calls=calls, warm_up=warm_up, done=step)
        with begin(f"{WRITERS} writers at once", 2) as step:
            kept = [await _kept(server, facts, step) for server in (ours, theirs)]
    where = f"at {facts:,} facts"
    ratios = _ratios(turns[ours.name], turns[theirs.name], where, AIMS.get(facts, ""), calls)
    groups = {f"Side by side {where}": [figure for name in turns for figure in _figures(name, turns[name], where)]}
    return Outcome(figures=(*ratios, *kept), groups=groups)


def _ratios(ours: Turns, theirs: Turns, where: str, aim: str, n: int) -> tuple[Figure, ...]:
    pairs = {"look-up": (ours.look_ups, theirs.look_ups, aim), "write": (ours.writes, theirs.writes, "")}
    return tuple(
        Figure(
            name=f"{what} {where}: r-memory over the reference server, p{round(100 * fraction)}",
            value=percentile(own, fraction) / percentile(other, fraction),
            n=n,
            unit="x",
            aim=wanted if fraction == 0.5 else "",
        )
        for what, (own, other, wanted) in pairs.items()
        for fraction in (0.5, 0.95)
    )


def _figures(name: str, turns: Turns, where: str) -> tuple[Figure, ...]:
    return (
        *spread(f"look-up {where}, {name}:", turns.look_ups),
        *spread(f"write {where}, {name}:", turns.writes),
        count(f"calls that failed {where}, {name}", turns.failed, len(turns.look_ups) + len(turns.writes), aim="0"),
    )


async def _kept(server: Server, facts: int, done: Callable[[], None]) -> Figure:
    """How many of the writes of twenty at once are there afterwards."""
    told = await at_once(server.add, first=0, calls=WRITERS, callers=WRITERS)
    there = [await server.kept(number) for number in range(WRITERS)]
    done()
    acknowledged = told.calls - told.failed
    name = f"{WRITERS} writes at once at {facts:,} facts, {acknowledged} acknowledged by {server.name}: kept"
    return count(name, sum(there), acknowledged, aim="all" if isinstance(server, OurServer) else "")
