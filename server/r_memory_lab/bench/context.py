"""Part `context`: how long `build_context` takes without a model, and whether it grows with what is stored.

One call is everything that stands between a request and its block: subject, action types, one traversal over the
driver, closure, lines, and the durable receipt.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from r_memory.errors import StoreUnavailable
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory.protocols import Store
from r_memory_lab.bench.charts import Chart, charts
from r_memory_lab.bench.filling import fill
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.timing import spread, timed
from r_memory_lab.evals.measures import Figure, percentile
from r_memory_lab.evals.outcomes import Outcome

CHART_SIZES = (20, 100)
"""Facts of one patient. Of Synthea's patients half have 13 or fewer, and 95 of 100 at most 28."""
AIM_MS = "<= 10 ms"
AIM_FLAT = "<= 2"
CALLS = 300
"""For each size of store and of chart."""
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
class Measured:
    """Milliseconds of each call at one size."""

    facts: int
    """In the store."""
    chart: int
    """Of each patient asked about."""
    times: tuple[float, ...]

    @property
    def name(self) -> str:
        """For the report."""
        return f"build_context, {self.facts:,} facts, {self.chart} a patient"


async def context(
    memory: Memory,
    store: Store,
    *,
    store_name: str,
    sizes: Sequence[int],
    seed: int,
    begin: Begin,
    calls: int = CALLS,
) -> Outcome:
    """Percentiles at each size of the store, and the ratio of the largest to the smallest.

    Raises:
        StoreUnavailable: an answer was not complete; its time would mean nothing.
    """
    space = (await memory.describe()).space
    plan = _Plan(memory=memory, store=store, space=space, seed=seed)
    measured: list[Measured] = []
    for size in sorted(sizes):
        plan.grown(size)
        with begin(f"filling {store_name} to {size:,} facts", plan.waiting) as step:
            await plan.fill(step)
        with begin(f"asking {store_name} at {size:,}", calls * len(CHART_SIZES)) as step:
            measured += [await plan.ask(chart, size, calls, step) for chart in CHART_SIZES]
    return _outcome(store_name, measured)


class _Plan:
    """Which patients there are, half of the facts in charts of each size, and which are asked about."""

    def __init__(self, *, memory: Memory, store: Store, space: str, seed: int) -> None:
        self._memory = memory
        self._store = store
        self._space = space
        self._seed = seed
        self._next = itertools.count()
        self._patients: dict[int, list[str]] = {chart: [] for chart in CHART_SIZES}
        self._charts: list[Chart] = []

    @property
    def waiting(self) -> int:
        """Charts to be written."""
        return len(self._charts)

    def grown(self, facts: int) -> None:
        """Prepares what brings the store to this number of facts."""
        for size, patients in self._patients.items():
            missing = max(1, facts // len(CHART_SIZES) // size) - len(patients)
            new = [chart for _ in range(missing) for chart in self._made(size)]
            patients += [chart.subject.id for chart in new]
            self._charts += new

    def _made(self, facts: int) -> Iterator[Chart]:
        return charts(
            self._memory.schema, space=self._space, first=next(self._next), count=1, facts=facts, seed=self._seed
        )

    async def fill(self, done: Callable[[], None]) -> None:
        """Writes what was prepared."""
        await fill(self._store, self._charts, done)
        self._charts = []

    async def ask(self, chart: int, facts: int, calls: int, done: Callable[[], None]) -> Measured:
        """Asks about random patients whose chart has this size."""
        chance = random.Random(f"{self._seed}/{facts}/{chart}")  # noqa: S311 - a benchmark's order, no secret
        times = []
        for number in range(-_WARM_UP, calls):
            milliseconds = await self._build_once(chance.choice(self._patients[chart]), QUERIES[number % len(QUERIES)])
            if number >= 0:
                times.append(milliseconds)
                done()
        return Measured(facts=facts, chart=chart, times=tuple(times))

    async def _build_once(self, subject: str, query: str) -> float:
        async def call() -> bool:
            recall = await self._memory.build_context(query, subject=subject)
            return bool(render(recall)) and recall.complete and bool(recall.receipt_id)

        whole, milliseconds = await timed(call)
        if not whole:
            raise StoreUnavailable("an answer was not complete; look at the log, and run the benchmark again")
        return milliseconds


def _outcome(store_name: str, measured: Sequence[Measured]) -> Outcome:
    figures = [figure for item in measured for figure in spread(f"{item.name}, {store_name}:", item.times, aim=AIM_MS)]
    ratios = [_flatness(store_name, [item for item in measured if item.chart == chart]) for chart in CHART_SIZES]
    return Outcome(
        figures=tuple(figure for figure in (*_headline(figures), *ratios)), groups={f"Context, {store_name}": figures}
    )


def _headline(figures: Sequence[Figure]) -> list[Figure]:
    return [figure for figure in figures if figure.name.endswith("p95")]


def _flatness(store_name: str, measured: Sequence[Measured]) -> Figure:
    smallest, largest = (percentile(item.times, 0.95) for item in (measured[0], measured[-1]))
    return Figure(
        name=f"p95 at {measured[-1].facts:,} facts over p95 at {measured[0].facts:,}, "
        f"{measured[0].chart} a patient, {store_name}",
        value=largest / smallest,
        n=len(measured[-1].times),
        unit="x",
        aim=AIM_FLAT,
    )
