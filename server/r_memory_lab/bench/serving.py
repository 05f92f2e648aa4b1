"""Parts `http`, `hook` and `greeting`: calls of clients to a server process, client included."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from mcp import Client

from r_memory.errors import StoreUnavailable
from r_memory_lab.bench.clients import leave_out_own_heap, served
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.talk import REQUESTS
from r_memory_lab.bench.timing import MS, spread, timed
from r_memory_lab.evals.measures import Figure, percentile
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 500
AT_ONCE = 20
"""Processes behind the one address."""
AIM_HTTP = "p99 < 300 ms"
AIM_HOOK = "< 150 ms"
AIM_GREETING = "< 1500 ms"
STARTS = 10
_URL = b"url='"
_WARM_UP = 200
"""Calls before the first that counts."""
_NOTE = (
    "Over HTTP the callers run on the same cores as the server: `bare callers` are threads of a process of their own "
    "that send JSON-RPC bodies, `MCP clients` are those of the SDK, all in the process of this benchmark."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """The measurements of callers."""

    by: str
    """Description of the callers, for the report."""
    times: Sequence[float]
    """Milliseconds of each call."""
    failed: int
    cpu_ms: float
    """Processor milliseconds of a call at its caller."""


async def over_http(environment: Mapping[str, str], *, subject: str, log: Path, begin: Begin) -> CaseOutcome:
    """Measures 500 calls in milliseconds, twenty in parallel on their own connections, and the failures.

    Once with bare callers, once with the SDK's.

    Raises:
        StoreUnavailable: the server did not start, or the callers did not end in order.
    """
    measured = await _on(environment, subject=subject, log=log, begin=begin)
    return CaseOutcome(
        figures=tuple(chain.from_iterable(map(_headlines, measured))),
        groups={f"HTTP, {called.by}": _figures(called) for called in measured},
        notes=(_NOTE,),
    )


async def by_hook(environment: Mapping[str, str], *, subject: str, log: Path, facts: int, begin: Begin) -> CaseOutcome:
    """Measures 500 hook calls in milliseconds, whose prompts name the subject by id, and the failures."""
    async with AsyncExitStack() as stack:
        client = await served(stack, environment, log, "--hooks")
        called = await _in_turn(lambda number: _prompted(client, number, subject), f"hook at {facts} facts", begin)
    return _outcome("hook", f"hook over stdio at {facts} facts, client included", called, aim=AIM_HOOK)


async def greeting(environment: Mapping[str, str], *, log: Path, begin: Begin) -> CaseOutcome:
    """Measures the milliseconds from the start of the process to its answer to `initialize`: median and worst."""
    times = []
    with begin("greeting", STARTS) as step:
        for _ in range(STARTS):
            began = time.perf_counter()
            async with AsyncExitStack() as stack:
                await served(stack, environment, log, mode="legacy")
                times.append((time.perf_counter() - began) * 1000)
            step()
    name = "initialize over stdio after the start of the process"
    figures = (
        Figure(name=f"{name}, median", value=percentile(times, 0.5), n=STARTS, unit=MS),
        Figure(name=f"{name}, worst", value=max(times), n=STARTS, unit=MS, aim=AIM_GREETING),
    )
    return CaseOutcome(figures=figures[1:], groups={"Greeting": figures})


async def _in_turn(call: Callable[[int], Awaitable[bool]], what: str, begin: Begin) -> Called:
    for number in range(_WARM_UP):
        await call(number)
    times: list[float] = []
    failed = 0
    before = time.process_time()
    with begin(what, CALLS) as step:
        for number in range(CALLS):
            answered, took = await timed(partial(call, number))
            failed += not answered
            times.append(took)
            step()
    return Called(by=what, times=times, failed=failed, cpu_ms=(time.process_time() - before) * 1000 / CALLS)


async def _on(environment: Mapping[str, str], *, subject: str, log: Path, begin: Begin) -> tuple[Called, ...]:
    """Measures both kinds of callers in turn."""
    leave_out_own_heap()
    async with AsyncExitStack() as stack:
        url = await serving(stack, environment, log)
        with begin("bare callers", 1) as step:
            bare = await _bare(url, subject, "bare callers")
            step()
        with begin("MCP clients", 1) as step:
            clients = await _clients(stack, url, subject, "MCP clients", step)
    return bare, clients


async def _bare(url: str, subject: str, by: str) -> Called:
    """Returns the measurements of callers in their own process.

    Raises:
        StoreUnavailable: the process of the callers failed.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "r_memory_lab.bench.http_callers", url, subject, str(CALLS), str(AT_ONCE)),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    if process.returncode:
        raise StoreUnavailable("the callers over HTTP failed; run the benchmark again")
    *calls, cpu_ms = map(json.loads, said.splitlines())
    failed = sum(not answered for _, answered in calls)
    return Called(by=by, times=[took for took, _ in calls], failed=failed, cpu_ms=cpu_ms)


async def _clients(stack: AsyncExitStack, url: str, subject: str, by: str, step: Callable[[], None]) -> Called:
    callers = [await stack.enter_async_context(Client(url)) for _ in range(AT_ONCE)]
    times: list[float] = []
    failed = 0

    async def call_on(client: Client, waiting: Iterator[int]) -> None:
        nonlocal failed
        for number in waiting:
            answered, took = await timed(partial(_call, client, number, subject))
            failed += not answered
            times.append(took)

    async def called(calls: int) -> None:
        waiting = iter(range(calls))
        await asyncio.gather(*(call_on(client, waiting) for client in callers))

    await called(_WARM_UP)
    times.clear()
    before = time.process_time()
    await called(CALLS)
    cpu_ms = (time.process_time() - before) * 1000 / CALLS
    step()
    return Called(by=by, times=times, failed=failed, cpu_ms=cpu_ms)


async def serving(stack: AsyncExitStack, environment: Mapping[str, str], log: Path) -> str:
    """Starts a server, returns its address, and stops it in order at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "r_memory.cli",
        "serve",
        "--http",
        "127.0.0.1:0",
        env=dict(environment),
        stderr=asyncio.subprocess.PIPE,
    )
    stack.push_async_callback(_stopped, process)
    errors = process.stderr or asyncio.StreamReader()
    said = stack.enter_context(log.open("ab"))
    async for line in errors:
        said.write(line)
        if _URL in line:
            keeping = asyncio.create_task(_kept(errors, said.write))
            stack.callback(keeping.cancel)
            return line.partition(_URL)[2].partition(b"'")[0].decode()
    raise StoreUnavailable("the server did not begin to serve; run `r-memory doctor`")


async def _kept(stream: asyncio.StreamReader, write: Callable[[bytes], object]) -> None:
    async for line in stream:
        write(line)


async def _stopped(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
    await process.wait()


async def _call(client: Client, number: int, subject: str) -> bool:
    """Whether the call was answered with a receipt."""
    arguments = {"query": REQUESTS[number % len(REQUESTS)], "subject": subject}
    answer = await client.call_tool("memory_build_context", arguments)
    return bool((answer.structured_content or {}).get("receipt_id"))


async def _prompted(client: Client, number: int, subject: str) -> bool:
    """Whether the hook put the subject's facts in front of the prompt."""
    prompt = f"{REQUESTS[number % len(REQUESTS)]} It is for {subject}."
    answer = await client.call_tool("memory_hook_context", {"prompt": prompt, "session_id": "bench"})
    told = (answer.structured_content or {}).get("hookSpecificOutput", {}).get("additionalContext", "")
    return f" {subject})." in told


def _outcome(group: str, name: str, of: Called, *, aim: str) -> CaseOutcome:
    errors = Figure(name=f"{group}: calls that failed", value=of.failed, n=len(of.times), aim="0")
    shown = Figure(name=f"{name} p95", value=percentile(of.times, 0.95), n=len(of.times), unit=MS, aim=aim)
    return CaseOutcome(figures=(shown, errors), groups={name: (*spread(group, of.times), _cpu(of), errors)})


def _headlines(of: Called) -> Iterable[Figure]:
    """Yields the required figures."""
    name = f"build_context over HTTP, {AT_ONCE} at once, {of.by}"
    yield Figure(name=f"{name} p99", value=percentile(of.times, 0.99), n=len(of.times), unit=MS, aim=AIM_HTTP)
    yield _errors(of)


def _figures(of: Called) -> tuple[Figure, ...]:
    """Returns all figures."""
    return (*spread("build_context", of.times), _cpu(of), _errors(of))


def _cpu(of: Called) -> Figure:
    return Figure(name="CPU of a call at its caller", value=of.cpu_ms, n=len(of.times), unit=MS)


def _errors(of: Called) -> Figure:
    return Figure(name=f"HTTP, {of.by}: calls that failed", value=of.failed, n=len(of.times), aim="0")
