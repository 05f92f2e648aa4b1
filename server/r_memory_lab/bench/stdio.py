"""Part `stdio`: look-ups and writes about many patients in turn over standard input and output, then writes at once."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from r_memory_lab.bench.clients import OurServer, Patients, served
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import spread
from r_memory_lab.bench.turns import at_once, in_turn
from r_memory_lab.evals.measures import Figure, count
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 500
AT_ONCE = 16
AIM_RATE = ">= 100"
_WARM_UP = 200


async def over_stdio(
    environment: Mapping[str, str],
    *,
    patients: Patients,
    log: Path,
    facts: int,
    begin: Begin,
    calls: int = CALLS,
    warm_up: int = _WARM_UP,
) -> CaseOutcome:
    """Measures the milliseconds of both calls with the client, parallel writes per second, and failures."""
    async with AsyncExitStack() as stack:
        server = OurServer(await served(stack, environment, log), patients)
        with begin("calling over stdio", calls) as step:
            turns = (await in_turn([server], calls=calls, warm_up=warm_up, done=step))[server.name]
        with begin(f"{AT_ONCE} writes at once", 1) as step:
            rushed = await at_once(server.write, first=calls, calls=calls, callers=AT_ONCE)
            step()
    where = f"over stdio at {facts:,} facts"
    asked = spread(f"build_context {where}:", turns.look_ups, median_aim="<= 6 ms", aim="<= 9 ms")
    told = spread(f"remember {where}:", turns.writes, median_aim="<= 14 ms", aim="<= 20 ms")
    rate = Figure(
        name=f"remember, {AT_ONCE} at once, a second, {where}",
        value=rushed.a_second,
        n=rushed.calls,
        aim=AIM_RATE,
    )
    failed = count(f"calls that failed {where}", turns.failed + rushed.failed, 3 * calls, aim="0")
    return CaseOutcome(figures=(*asked[:2], *told[:2], rate, failed), groups={f"Calls {where}": (*asked, *told)})
