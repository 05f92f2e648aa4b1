"""Parts `http` and `stdio`: calls of clients to a server process, client included."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from r_memory.bench.parts import Begin
from r_memory.bench.talk import REQUESTS
from r_memory.bench.timing import MS, spread, timed
from r_memory.errors import StoreUnavailable
from r_memory.evals.measures import Figure, percentile
from r_memory.evals.outcomes import Outcome

CALLS = 500
AT_ONCE = 20
AIM_HTTP = "p99 < 300 ms"
AIM_STDIO = "<= 25 ms"
_URL = b"url='"
_WARM_UP = 20


async def over_http(environment: Mapping[str, str], *, subject: str, log: Path, begin: Begin) -> Outcome:
    """Milliseconds of 500 calls, twenty at once, each caller on a connection of its own; and how many failed.

    Raises:
        StoreUnavailable: the server did not begin to serve.
    """
    async with AsyncExitStack() as stack:
        url = await _serving(stack, environment, log)
        callers = [await stack.enter_async_context(Client(url)) for _ in range(AT_ONCE)]
        for number in range(_WARM_UP):
            await _call(callers[number % AT_ONCE], number, subject)
        waiting = iter(range(CALLS))
        times: list[float] = []
        failed = 0
        with begin("calling over HTTP", CALLS) as step:

            async def call_on(client: Client) -> None:
                nonlocal failed
                for number in waiting:
                    answered, took = await timed(lambda number=number: _call(client, number, subject))  # type: ignore[misc]  # a default binds it
                    failed += not answered
                    times.append(took)
                    step()

            await asyncio.gather(*map(call_on, callers))
    name = f"build_context over HTTP, {AT_ONCE} at once, client included"
    return _outcome("HTTP", name, times, failed, fraction=0.99, aim=AIM_HTTP)


async def over_stdio(environment: Mapping[str, str], *, subject: str, log: Path, facts: int, begin: Begin) -> Outcome:
    """Milliseconds of 500 calls over standard input and output, one after the other; and how many failed."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "r_memory.cli", "serve"], env=dict(environment)
    )
    times: list[float] = []
    failed = 0
    async with AsyncExitStack() as stack:
        errors = stack.enter_context(log.open("a", encoding="utf-8"))
        client = await stack.enter_async_context(Client(stdio_client(parameters, errlog=errors)))
        for number in range(_WARM_UP):
            await _call(client, number, subject)
        with begin("calling over stdio", CALLS) as step:
            for number in range(CALLS):
                answered, took = await timed(lambda number=number: _call(client, number, subject))  # type: ignore[misc]  # a default binds it
                failed += not answered
                times.append(took)
                step()
    name = f"build_context over stdio at {facts} facts, client included"
    return _outcome("stdio", name, times, failed, fraction=0.95, aim=AIM_STDIO)


async def _serving(stack: AsyncExitStack, environment: Mapping[str, str], log: Path) -> str:
    """Address of a server that is started and, at the end, stopped in order."""
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


def _outcome(group: str, name: str, times: list[float], failed: int, *, fraction: float, aim: str) -> Outcome:
    errors = Figure(name=f"{group}: calls that failed", value=failed, n=len(times), unit="", aim="0")
    shown = Figure(
        name=f"{name} p{round(100 * fraction)}", value=percentile(times, fraction), n=len(times), unit=MS, aim=aim
    )
    return Outcome(figures=(shown, errors), groups={group: (*spread(name, times), errors)})
