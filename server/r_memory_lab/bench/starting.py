"""Part `start`: from the start of the server's process to its first answer from the database, over MCP."""

import sys
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from r_memory.errors import StoreUnavailable
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.talk import REQUESTS
from r_memory_lab.bench.timing import MS
from r_memory_lab.evals.measures import Figure, percentile
from r_memory_lab.evals.outcomes import Outcome

STARTS = 10
AIM_MS = "<= 3000 ms"


async def start(environment: Mapping[str, str], *, subject: str, log: Path, begin: Begin) -> Outcome:
    """Median and worst over several starts on a store that knows the subject; the first may be the slowest.

    `environment` carries the settings of the server, `log` takes what it says.

    Raises:
        StoreUnavailable: the server did not answer from the database.
    """
    times = []
    with begin("starting the server", STARTS) as step:
        for _ in range(STARTS):
            times.append(await _first_answer(environment, subject, log))
            step()
    name = "first answer over MCP after the start of the process"
    figures = (
        Figure(name=f"{name}, median", value=percentile(times, 0.5), n=STARTS, unit=MS),
        Figure(name=f"{name}, worst", value=max(times), n=STARTS, unit=MS, aim=AIM_MS),
    )
    return Outcome(figures=figures[1:], groups={"Start": figures})


async def _first_answer(environment: Mapping[str, str], subject: str, log: Path) -> float:
    """Milliseconds up to the answer; how the server ends does not count."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "r_memory.cli", "serve"], env=dict(environment)
    )
    began = time.perf_counter()
    async with AsyncExitStack() as stack:
        errors = stack.enter_context(log.open("a", encoding="utf-8"))
        client = await stack.enter_async_context(Client(stdio_client(parameters, errlog=errors)))
        answer = await client.call_tool("memory_build_context", {"query": REQUESTS[0], "subject": subject})
        milliseconds = (time.perf_counter() - began) * 1000
        if answer.is_error or not (answer.structured_content or {}).get("receipt_id"):
            raise StoreUnavailable("the server did not answer from the database; run `r-memory doctor`")
    return milliseconds
