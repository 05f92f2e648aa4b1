"""Part `stdio`: look-ups and writes about many patients in turn over standard input and output, then writes at once."""

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from r_memory_lab.bench.clients import OurServer, Patients, served
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import spread, timed
from r_memory_lab.bench.turns import at_once, in_turn
from r_memory_lab.evals.measures import Figure, count, percentile
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 500
AT_ONCE = 16
AIM_RATE = ">= 100"
AIM_READ = "<= 1.2"
"""The time of a call with a reading, over that of the same words without."""
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
        with begin("telling without a reading and with one", calls) as step:
            plain, read, unanswered = await _without_and_with(server, calls=calls, warm_up=warm_up, done=step)
    where = f"over stdio at {facts:,} facts"
    asked = spread(f"build_context {where}:", turns.look_ups, median_aim="<= 6 ms", aim="<= 9 ms")
    told = spread(f"remember {where}:", turns.writes, median_aim="<= 14 ms", aim="<= 20 ms")
    rate = Figure(
        name=f"remember, {AT_ONCE} at once, a second, {where}",
        value=rushed.a_second,
        n=rushed.calls,
        aim=AIM_RATE,
    )
    ratio = Figure(
        name=f"remember with `facts` over the same words without, p50, {where}",
        value=percentile(read, 0.5) / percentile(plain, 0.5),
        n=len(read),
        unit="x",
        aim=AIM_READ,
    )
    failures = turns.failed + rushed.failed + unanswered
    failed = count(f"calls that failed {where}", failures, 5 * calls, aim="0")
    pairs = (
        *spread(f"remember without `facts` {where}:", plain),
        *spread(f"remember with `facts` {where}:", read),
    )
    return CaseOutcome(
        figures=(*asked[:2], *told[:2], rate, ratio, failed), groups={f"Calls {where}": (*asked, *told, *pairs)}
    )


async def _without_and_with(
    server: OurServer, *, calls: int, warm_up: int, done: Callable[[], None]
) -> tuple[list[float], list[float], int]:
    """Returns the milliseconds of the same words without a reading and with one, in turn, and how many calls failed.

    Each call is about another patient.
    """
    times: dict[bool, list[float]] = {False: [], True: []}
    failed = 0
    for number in range(-warm_up, calls):
        for read in (False, True):
            answered, milliseconds = await timed(partial(server.tell, number, read=read))
            if number >= 0:
                times[read].append(milliseconds)
                failed += not answered
        if number >= 0:
            done()
    return times[False], times[True], failed
