"""Mixed callers of two tenants over HTTP, for as long as one likes, while the database is killed and started again.

    python -m r_memory_lab.bench.soak --minutes 20 --restart "scripts/neo4j restart" --report FILE

Every answer is held against a sequential model (Jepsen's way, `soak_callers.py`). Settings come from the environment;
`--restart` is run twice.
"""

import argparse
import asyncio
import os
import secrets
import shlex
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from r_memory.config.access_tokens import add_token
from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.config.settings import PREFIX, Settings
from r_memory.wiring import open_memory
from r_memory_lab.bench.serving import serving
from r_memory_lab.bench.soak_callers import TOOLS, Caller, CallerLog, Tenant
from r_memory_lab.evals.evaluation import report_of
from r_memory_lab.evals.measures import Figure, count, percentile
from r_memory_lab.evals.outcomes import CaseOutcome
from r_memory_lab.reporting import print_report, save, today

CALLERS = 4
"""Callers of each of two tenants."""
SERVERS = 2
"""Processes over one store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The server's processes at one moment."""

    at: float
    mib: float
    descriptors: int
    cpu_s: float
    """Processor seconds of the server's processes since their start."""
    own_s: float
    """Processor seconds of the callers' process."""


_WATCHED: Sequence[tuple[str, Callable[[Sample], float], str]] = (
    ("memory of the server's processes", lambda one: one.mib, "MiB"),
    ("open descriptors", lambda one: one.descriptors, ""),
)


async def soaked(minutes: float, restart: str, report: Path | None, json_file: Path | None) -> None:
    """Runs the callers, and prints and writes the figures."""
    settings = Settings.from_environment()
    samples, down = list[Sample](), list[float]()
    tag = secrets.token_hex(4)
    tenants = (f"alpha{tag}", f"omega{tag}")
    drugs = _drugs(settings)
    with tempfile.TemporaryDirectory(prefix="r-memory-soak-") as folder:
        tokens = Path(folder) / "tokens.yaml"
        borne = {tenant: add_token(tokens, tenant, space=tenant) for tenant in tenants}
        own = {"HTTP_TOKEN_FILE": str(tokens)}
        environment = {**os.environ, **{PREFIX + name: value for name, value in own.items()}}
        async with AsyncExitStack() as stack:
            urls = [await serving(stack, environment, Path(folder) / f"log-{number}") for number in range(SERVERS)]
            callers = [
                Caller(urls[number % SERVERS], tenant, number=number)
                for tenant in (
                    Tenant(name=name, other=other, token=borne[name]) for name, other in (tenants, tenants[::-1])
                )
                for number in range(CALLERS)
            ]
            await asyncio.gather(*(asyncio.to_thread(caller.warm_up, drugs[0]) for caller in callers))
            began = time.monotonic()
            ends = began + minutes * 60
            watching = asyncio.create_task(_watch(samples, began))
            restarting = asyncio.create_task(_restarted(restart, began, minutes * 60, down))
            await asyncio.gather(*(asyncio.to_thread(caller.run, began, ends, drugs) for caller in callers))
            lasted = time.monotonic() - began
            await restarting
            watching.cancel()
        differences = [await _differences(replace(settings, space=tenant)) for tenant in tenants]
        async with open_memory(settings) as memory:
            described = await memory.describe()
    made = report_of(
        _outcome(sum((caller.seen for caller in callers), CallerLog()), lasted, samples, down, differences),
        described,
        suite="soak",
        title="mixed callers of two tenants while the database is restarted",
        date=today(),
        command=f"python -m r_memory_lab.bench.soak --minutes {minutes:g} --restart {shlex.quote(restart)}",
        route="local",
        store="an unreachable store" if described.health is None else described.health.name,
    )
    save(made, as_json=json_file, as_markdown=report)
    print_report(made)


def _drugs(settings: Settings) -> Sequence[str]:
    """Returns names that are no part of other names, so that a text search for each is exact."""
    names = [name.casefold() for name in load_domain(Files(), settings.schema).schema.lexicon.terms["Drug"]]
    plain = [name for name in names if name.isalpha() and len(name) > 5]
    return sorted(name for name in plain if not any(name != other and name in other for other in names))


async def _restarted(command: str, began: float, seconds: float, down: list[float]) -> None:
    """Runs the command after one third and two thirds of the time."""
    for part in (1, 2) if command else ():
        await asyncio.sleep(max(0.0, began + seconds * part / 3 - time.monotonic()))
        at = time.monotonic()
        process = await asyncio.create_subprocess_exec(*shlex.split(command), stdout=asyncio.subprocess.DEVNULL)
        await process.wait()
        down.append(time.monotonic() - at)


async def _watch(samples: list[Sample], began: float) -> None:
    """Records memory and descriptors of this process's descendants once a second; Linux only."""
    while True:
        pids = _below(os.getpid())
        mib = sum(_mib(pid) for pid in pids)
        samples.append(
            Sample(
                at=time.monotonic() - began,
                mib=mib,
                descriptors=sum(map(_descriptors, pids)),
                cpu_s=sum(map(_cpu_s, pids)),
                own_s=time.process_time(),
            )
        )
        await asyncio.sleep(1)


def _below(pid: int) -> list[int]:
    try:
        children = [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    serving_ = [item for item in children if b"r_memory" in _command(item) or b"multiprocessing" in _command(item)]
    return [*serving_, *(below for child in serving_ for below in _below(child))]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except OSError:
        return 0.0


def _descriptors(pid: int) -> int:
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0


def _cpu_s(pid: int) -> float:
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0.0
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


async def _differences(settings: Settings) -> int:
    async with open_memory(settings) as memory:
        return len((await memory.verify()).differences)


def _outcome(
    seen: CallerLog, lasted: float, samples: Sequence[Sample], down: Sequence[float], differences: Sequence[int]
) -> CaseOutcome:
    calls = len(seen.took)
    return CaseOutcome(
        figures=(
            count("operations held against the model", seen.compared, calls),
            Figure(name="of these each second", value=seen.compared / lasted, n=seen.compared, aim=">= 85"),
            count("of these writes that were acknowledged", seen.acknowledged, seen.compared),
            count("calls that said memory was unavailable, or broke off", seen.unavailable, calls),
            count("acknowledged facts that a complete answer lacked", len(seen.lost), seen.compared, aim="0"),
            count("facts that nobody stated, or twice", len(seen.wrong), seen.compared, aim="0"),
            count("answers with a word of the other tenant", len(seen.leaks), calls, aim="0"),
            count("errors in words that do not say what became of the call", len(seen.odd), calls, aim="0"),
            count("differences found by verify", sum(differences), 2, aim="0"),
            *(
                Figure(name=f"restart {number}: the command took", value=took, n=1, unit="s")
                for number, took in enumerate(down, 1)
            ),
            *_cost(seen, samples),
            *_growth(samples),
            *_drift(seen),
        ),
        groups={tool: tuple(_spread(seen, tool)) for tool in TOOLS},
        details={name: tuple(getattr(seen, name)) for name in ("lost", "wrong", "leaks", "odd")},
        notes=(
            f"{2 * CALLERS} callers of two tenants, two servers, database restarted {len(down)} times, {lasted:.0f} s.",
        ),
    )


def _cost(seen: CallerLog, samples: Sequence[Sample]) -> Iterator[Figure]:
    """Yields the processor times of the second half, which do not depend on other load."""
    if len(samples) < 2:
        return
    middle, last = samples[len(samples) // 2], samples[-1]
    calls = sum(middle.at < at <= last.at for at, _, _ in seen.took)
    for whose, seconds in (("server", last.cpu_s - middle.cpu_s), ("callers", last.own_s - middle.own_s)):
        if calls:
            yield Figure(name=f"processor for each call, {whose}", value=seconds * 1000 / calls, n=calls, unit="ms")


def _growth(samples: Sequence[Sample]) -> Iterator[Figure]:
    """Yields the medians of the second and the last quarter; the first is for warming up."""
    for name, of, unit in _WATCHED:
        yield from _quarters(name, [(sample.at, of(sample)) for sample in samples], unit)


def _drift(seen: CallerLog) -> Iterator[Figure]:
    """Yields the same medians of call times."""
    for tool in TOOLS:
        yield from _quarters(f"{tool}, p50", [(at, ms) for at, name, ms in seen.took if name == tool], "ms")


def _quarters(name: str, values: Sequence[tuple[float, float]], unit: str) -> Iterator[Figure]:
    end = max((at for at, _ in values), default=0.0)
    for when, first, last in (("second", 0.25, 0.5), ("last", 0.75, 1.0)):
        some = [value for at, value in values if first * end < at <= last * end]
        if some:
            yield Figure(name=f"{name}, {when} quarter", value=percentile(some, 0.5), n=len(some), unit=unit)


def _spread(seen: CallerLog, tool: str) -> Iterator[Figure]:
    """Yields percentiles of both halves, which show growth."""
    took = [(at, ms) for at, name, ms in seen.took if name == tool]
    middle = max((at for at, _ in took), default=0.0) / 2
    for when, later in (("first half", False), ("second half", True)):
        values = [ms for at, ms in took if (at > middle) == later]
        for share in (0.5, 0.95, 0.99) if values else ():
            yield Figure(name=f"{when}, p{share * 100:g}", value=percentile(values, share), n=len(values), unit="ms")


def main() -> None:
    """Parses the command line and runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--restart", default="", metavar="COMMAND", help="kills the database and starts it again")
    parser.add_argument("--report", type=Path)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    asyncio.run(soaked(asked.minutes, asked.restart, asked.report, asked.json))


if __name__ == "__main__":
    main()
