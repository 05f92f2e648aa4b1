"""Part `start`: from the start of the server's process to its first answer from the database, over MCP; and how much
memory the server takes at most while it is asked and told.
"""

import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from r_memory.errors import StoreUnavailable
from r_memory_lab.bench.clients import OurServer, Patients, leave_out_own_heap, served
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.resident import peak_of_children
from r_memory_lab.bench.timing import MS
from r_memory_lab.bench.turns import in_turn
from r_memory_lab.evals.measures import Figure, percentile
from r_memory_lab.evals.outcomes import CaseOutcome

STARTS = 10
CALLS = 300
"""Look-ups, and as many writes, before the memory is measured."""
AIM_MS = "<= 4000 ms"
AIM_MB = "<= 900 MB"


async def start(
    environment: Mapping[str, str],
    *,
    patients: Patients,
    log: Path,
    where: str,
    begin: Begin,
    starts: int = STARTS,
    calls: int = CALLS,
) -> CaseOutcome:
    """Measures median and worst of several starts, each asked about another patient, then the peak of memory.

    `environment` has the server's settings, `log` gets its output, `where` names store and size.

    Raises:
        StoreUnavailable: the server did not answer from the database.
    """
    times = []
    with begin(f"starting the server {where}", starts) as step:
        for number in range(starts):
            times.append(await _first_answer(environment, patients, number, log))
            step()
    name = f"first answer over MCP after the start of the process {where}"
    figures = [
        Figure(name=f"{name}, median", value=percentile(times, 0.5), n=starts, unit=MS),
        Figure(name=f"{name}, worst", value=max(times), n=starts, unit=MS, aim=AIM_MS),
    ]
    with begin(f"memory of the server {where}", calls) as step:
        async with AsyncExitStack() as stack:
            server = OurServer(await served(stack, environment, log), patients)
            await in_turn([server], calls=calls, warm_up=0, done=step)
            peak = peak_of_children()
    if peak is not None:
        name = f"peak memory of the server after {calls} contexts and {calls} writes {where}"
        figures.append(Figure(name=name, value=peak, n=1, unit="MB", aim=AIM_MB))
    return CaseOutcome(figures=tuple(figures[1:]), groups={f"Start {where}": figures})


async def _first_answer(environment: Mapping[str, str], patients: Patients, number: int, log: Path) -> float:
    """Returns the milliseconds until the answer; the server's end does not count."""
    leave_out_own_heap()
    began = time.perf_counter()
    async with AsyncExitStack() as stack:
        server = OurServer(await served(stack, environment, log), patients)
        answered = await server.look_up(number)
        milliseconds = (time.perf_counter() - began) * 1000
        if not answered:
            raise StoreUnavailable("the server did not answer from the database; run `r-memory doctor`")
    return milliseconds
