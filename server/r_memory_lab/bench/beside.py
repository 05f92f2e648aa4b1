"""Part `beside`: other memory servers in the same run, called in turn with ours by the same client."""

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from r_memory_lab.bench.charts import BenchChart
from r_memory_lab.bench.clients import ForeignServer, OurServer, Patients, ReferenceServer, Server, served, started
from r_memory_lab.bench.others import Other
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import spread
from r_memory_lab.bench.turns import CallTimes, at_once, in_turn
from r_memory_lab.evals.measures import Figure, count, percentile
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 300
WRITERS = 20
AIMS = {10_000: "<= 1.0", 100_000: "<= 0.3"}
"""Number of facts to the required ratio of our look-up time to the reference server's."""
_WARM_UP = 100


async def beside(
    environment: Mapping[str, str],
    others: Sequence[Other],
    charts: Sequence[BenchChart],
    *,
    patients: Patients,
    facts: int,
    folder: Path,
    begin: Begin,
    calls: int = CALLS,
    warm_up: int = _WARM_UP,
) -> CaseOutcome:
    """Measures look-ups and writes of all servers in turn, as ratios, and what twenty parallel writers leave.

    Our server already has the patients of the charts; the others are told of them first. `folder` holds their data.
    """
    log = folder / "beside.log"
    async with AsyncExitStack() as stack:
        ours = OurServer(await served(stack, environment, log), patients)
        theirs = [await _filled(stack, other, charts, patients, folder, begin) for other in others]
        servers = (ours, *theirs)
        with begin(f"{len(servers)} servers in turn at {facts:,} facts", calls) as step:
            turns = await in_turn(servers, calls=calls, warm_up=warm_up, done=step)
        with begin(f"{WRITERS} writers at once", len(servers)) as step:
            kept = [await _kept(server, f"at {facts:,} facts", step) for server in servers]
    where = f"at {facts:,} facts"
    ratios = [figure for other in theirs for figure in _ratios(turns[ours.name], turns[other.name], other.name, facts)]
    groups = {f"Side by side {where}": [figure for name in turns for figure in _figures(name, turns[name], where)]}
    return CaseOutcome(figures=(*ratios, *kept), groups=groups)


async def _filled(
    stack: AsyncExitStack, other: Other, charts: Sequence[BenchChart], patients: Patients, folder: Path, begin: Begin
) -> ForeignServer:
    kept = Path(tempfile.mkdtemp(dir=folder))
    environment = {**os.environ, **other.environment(kept)}
    server = other.server(await started(stack, other.command, environment, kept / "log"), patients, environment)
    with begin(f"telling {server.name} of {len(charts):,} patients", 1) as step:
        await server.fill(charts)
        step()
    return server


def _ratios(ours: CallTimes, theirs: CallTimes, name: str, facts: int) -> tuple[Figure, ...]:
    aim = AIMS.get(facts, "") if name == ReferenceServer.name else ""
    pairs = {"look-up": (ours.look_ups, theirs.look_ups, aim), "write": (ours.writes, theirs.writes, "")}
    return tuple(
        Figure(
            name=f"{what} at {facts:,} facts: r-memory over {name}, p{round(100 * fraction)}",
            value=percentile(own, fraction) / percentile(other, fraction),
            n=len(own),
            unit="x",
            aim=wanted if fraction == 0.5 else "",
        )
        for what, (own, other, wanted) in pairs.items()
        for fraction in (0.5, 0.95)
    )


def _figures(name: str, turns: CallTimes, where: str) -> tuple[Figure, ...]:
    return (
        *spread(f"look-up {where}, {name}:", turns.look_ups),
        *spread(f"write {where}, {name}:", turns.writes),
        count(f"calls that failed {where}, {name}", turns.failed, len(turns.look_ups) + len(turns.writes), aim="0"),
    )


async def _kept(server: Server, where: str, done: Callable[[], None]) -> Figure:
    """Returns the share of writes acknowledged to twenty parallel writers that are stored afterwards."""
    told = await at_once(server.add, first=0, calls=WRITERS, callers=WRITERS)
    there = [await server.kept(number) for number in range(WRITERS)]
    done()
    acknowledged = told.calls - told.failed
    name = f"{WRITERS} writes at once {where}, {acknowledged} acknowledged by {server.name}: kept"
    return count(name, sum(there), acknowledged, aim="all" if server.name == OurServer.name else "")
