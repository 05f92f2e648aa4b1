"""Part `context`: how long `build_context` takes without a model, whether it grows with what is stored, and with how
many ask at once.

One call is everything that stands between a request and its block: subject, action types, one traversal over the
driver, closure, lines, and the durable receipt. Who asks at once are tasks of this process over one memory.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from r_memory.errors import StoreUnavailable
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory_lab.bench.filling import Fill
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.population import CHART_SIZES, Population
from r_memory_lab.bench.timing import spread, timed
from r_memory_lab.evals.measures import Figure, percentile
from r_memory_lab.evals.outcomes import CaseOutcome

AIMS_MS = {1: "<= 10 ms", 16: "<= 50 ms"}
"""Number of parallel callers to the required 95th percentile."""
AIM_FLAT = "<= 2"
CALLS = 320
"""Calls for each size of store and chart, and each number of callers."""
_WARM_UP = 200
"""Calls before the first that counts: a Java server compiles what is called often."""
QUERIES = (
    "Recommend the standard first-line antibiotic for strep throat.",
    "What can she take for a headache?",
    "Order a CT of the abdomen with contrast.",
    "Is an MRI of the knee possible next week?",
    "Which dose of ibuprofen is right for him?",
    "Please plan the colonoscopy for Monday.",
    "Draw blood for potassium and creatinine.",
    "Can I give her the flu shot today?",
    "He needs something against nausea after the operation.",
    "Good morning, how did you sleep?",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextTimes:
    """Milliseconds of each call at one size."""

    facts: int
    """Facts in the store."""
    chart: int
    """Facts of each patient asked about."""
    at_once: int
    times: tuple[float, ...]

    @property
    def name(self) -> str:
        """Name for the report."""
        return f"build_context, {self.facts:,} facts, {self.chart} a patient, {self.at_once} at once"


async def context(
    memory: Memory,
    fill: Fill,
    population: Population,
    *,
    store_name: str,
    sizes: Sequence[int],
    begin: Begin,
    calls: int = CALLS,
    warm_up: int = _WARM_UP,
) -> CaseOutcome:
    """Returns the percentiles at each size of the store, and the ratio of the largest to the smallest.

    Raises:
        StoreUnavailable: an answer was incomplete, so that its time means nothing.
    """
    measured: list[ContextTimes] = []
    for size in sorted(sizes):
        waiting, charts = population.grown(size)
        with begin(f"filling {store_name} to {size:,} facts", waiting) as step:
            await fill(charts, step)
        with begin(f"asking {store_name} at {size:,}", calls * len(CHART_SIZES) * len(AIMS_MS)) as step:
            for chart in CHART_SIZES:
                asked = population.anyone(chart)
                await _asked(memory, asked, calls=warm_up, at_once=1)
                for at_once in AIMS_MS:
                    times = await _asked(memory, asked, calls=calls, at_once=at_once, done=step)
                    measured.append(ContextTimes(facts=size, chart=chart, at_once=at_once, times=tuple(times)))
    return _outcome(store_name, measured, f"At {max(sizes):,} facts there were {population.patients:,} subjects.")


async def _asked(
    memory: Memory, patients: Iterator[str], *, calls: int, at_once: int, done: Callable[[], None] = lambda: None
) -> list[float]:
    """Returns the milliseconds of `calls` calls by `at_once` callers; each calls again after its answer."""
    waiting, times = iter(range(calls)), list[float]()

    async def asker() -> None:
        for number in waiting:
            times.append(await _build_once(memory, next(patients), QUERIES[number % len(QUERIES)]))
            done()

    await asyncio.gather(*(asker() for _ in range(at_once)))
    return times


async def _build_once(memory: Memory, subject: str, query: str) -> float:
    async def call() -> bool:
        recall = await memory.build_context(query, subject=subject)
        return bool(render(recall)) and recall.complete and bool(recall.receipt_id)

    whole, milliseconds = await timed(call)
    if not whole:
        raise StoreUnavailable("an answer was not complete; look at the log, and run the benchmark again")
    return milliseconds


def _outcome(store_name: str, measured: Sequence[ContextTimes], note: str) -> CaseOutcome:
    figures = [
        figure
        for item in measured
        for figure in spread(f"{item.name}, {store_name}:", item.times, aim=AIMS_MS[item.at_once])
    ]
    alone = [item for item in measured if item.at_once == 1]
    ratios = [_flatness(store_name, [item for item in alone if item.chart == chart]) for chart in CHART_SIZES]
    headline = [figure for figure in figures if figure.name.endswith("p95")]
    return CaseOutcome(figures=(*headline, *ratios), groups={f"Context, {store_name}": figures}, notes=(note,))


def _flatness(store_name: str, measured: Sequence[ContextTimes]) -> Figure:
    smallest, largest = (percentile(item.times, 0.95) for item in (measured[0], measured[-1]))
    return Figure(
        name=f"p95 at {measured[-1].facts:,} facts over p95 at {measured[0].facts:,}, "
        f"{measured[0].chart} a patient, {store_name}",
        value=largest / smallest,
        n=len(measured[-1].times),
        unit="x",
        aim=AIM_FLAT,
    )
