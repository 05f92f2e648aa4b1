"""Part `where`: one call as a table, step by step, with what it computed and what it waited for apart.

The parts of the memory are handed over wrapped, so the product holds no clocks; what no wrapped part did is the rest:
closure over the knowledge pack, rules, lines, and the values in between.
"""

import inspect
import statistics
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, cast

from r_memory.facts.facts import Facts
from r_memory.facts.recall.rendering import render
from r_memory.memory import Memory
from r_memory.protocols import Store
from r_memory.wiring import SystemClock
from r_memory_lab.bench.charts import BenchChart, charts
from r_memory_lab.bench.context import QUERIES
from r_memory_lab.bench.filling import Fill
from r_memory_lab.bench.parts import Begin
from r_memory_lab.bench.talk import FACTS
from r_memory_lab.evals.measures import Figure, at_percentile
from r_memory_lab.evals.outcomes import CaseOutcome

CALLS = 200
FACTS_EACH = 20
_WARM_UP = 100
_FIRST = 900_000
"""Number of the first patient, after those of `context`."""
_WHOLE = "the whole call"
_REST = "closure, rules, lines and what lies between"


@dataclass(slots=True)
class _Step:
    """Milliseconds of one kind of step, for each call of the memory."""

    waited: list[float] = field(default_factory=list)
    computed: list[float] = field(default_factory=list)
    times: int = 0


class Steps:
    """Times of a call's steps, by the clock and by the thread's processor time."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[float, float, int]] = {}
        self.of: dict[str, _Step] = defaultdict(_Step)

    @contextmanager
    def timing(self, name: str) -> Iterator[None]:
        """Adds the body's time to the present call's step; steps do not nest."""
        clock, processor = time.perf_counter(), time.thread_time()
        yield
        wall, busy = time.perf_counter() - clock, time.thread_time() - processor
        before = self._open.get(name, (0.0, 0.0, 0))
        self._open[name] = (before[0] + wall * 1000, before[1] + busy * 1000, before[2] + 1)

    def begin(self) -> None:
        """Discards the steps of a call that does not count."""
        self._open = {}

    def end(self) -> None:
        """Ends a call: its steps count, and the remaining time becomes the rest."""
        whole = self._open.pop(_WHOLE)
        walls = sum(wall for wall, _, _ in self._open.values())
        inside = sum(busy for name, (_, busy, _) in self._open.items() if name.startswith("store: "))
        self._open[_REST] = (whole[0] - walls, whole[1] - inside, 1)
        for name, (wall, busy, times) in {_WHOLE: whole, **self._open}.items():
            step = self.of[name]
            step.waited.append(max(0.0, wall - busy))
            step.computed.append(max(0.0, busy))
            step.times += times


class _Timed:
    """Wraps an object and times each call of its methods as a step."""

    def __init__(self, inner: object, steps: Steps, room: str) -> None:
        self._inner = inner
        self._steps = steps
        self._room = room

    def __getattr__(self, name: str) -> object:
        """Returns the wrapped attribute, timed if it is a method."""
        found = getattr(self._inner, name)
        if not callable(found):
            return found
        label = f"{self._room}: {name}"
        if inspect.iscoroutinefunction(found):

            async def awaited(*args: object, **options: object) -> object:
                with self._steps.timing(label):
                    return await found(*args, **options)

            return awaited

        def called(*args: object, **options: object) -> object:
            with self._steps.timing(label):
                return found(*args, **options)

        return called


async def where(
    memory: Memory, fill: Fill, *, store_name: str, seed: int, begin: Begin, calls: int = CALLS
) -> CaseOutcome:
    """Returns a table for `build_context` and one for `remember`: the median of each step, largest first."""
    made = list(charts(memory.schema, space=memory.facts.space, first=_FIRST, count=20, facts=FACTS_EACH, seed=seed))
    with begin(f"filling {store_name}", len(made)) as step:
        await fill(made, step)
    groups = {}
    for name, call in (("build_context", _build_context), ("remember", _remember)):
        with begin(f"{name} on {store_name}", calls) as step:
            steps = await _measured(memory, made, call, calls, step)
        groups[f"Where {name} spends its time, {store_name}"] = _table(steps)
    return CaseOutcome(figures=(), groups=groups)


_Call = Callable[[Facts, BenchChart, int], Awaitable[object]]


async def _build_context(facts: Facts, chart: BenchChart, number: int) -> object:
    return render(await facts.recalling.build_context(QUERIES[number % len(QUERIES)], subject=chart.subject.id))


async def _remember(facts: Facts, chart: BenchChart, number: int) -> object:
    words = FACTS[number % len(FACTS)]
    return await facts.remembering.remember(
        words, subject=chart.subject.id, speaker="patient", conversation_id=f"where-{number}"
    )


async def _measured(
    memory: Memory, made: Sequence[BenchChart], call: _Call, calls: int, done: Callable[[], None]
) -> Steps:
    steps = Steps()
    facts = _wrapped(memory.facts, steps)
    for number in range(_WARM_UP + calls):
        steps.begin()
        with steps.timing(_WHOLE):
            await call(facts, made[number % len(made)], number)
        if number >= _WARM_UP:
            steps.end()
            done()
    return steps


def _wrapped(facts: Facts, steps: Steps) -> Facts:
    """Returns the facts with timers around the store and each reader."""
    reader = facts.reader
    timed = replace(
        reader,
        classifier=cast("Any", _Timed(reader.classifier, steps, "reading")),
        extractor=cast("Any", _Timed(reader.extractor, steps, "reading")),
        validator=cast("Any", _Timed(reader.validator, steps, "reading")),
        names=None if reader.names is None else cast("Any", _Timed(reader.names, steps, "reading")),
    )
    return Facts(
        cast("Store", _Timed(facts.store, steps, "store")),
        timed,
        SystemClock(),
        space=facts.space,
        limits=facts.limits,
        retired=facts.retired,
    )


def _table(steps: Steps) -> tuple[Figure, ...]:
    whole = steps.of.pop(_WHOLE)
    order = sorted(steps.of.items(), key=lambda one: -_median(one[1]))
    return tuple(figure for name, step in ((_WHOLE, whole), *order) for figure in _rows(name, step))


def _median(step: _Step) -> float:
    return statistics.median(step.waited) + statistics.median(step.computed)


def _rows(name: str, step: _Step) -> tuple[Figure, Figure]:
    each = step.times / len(step.computed)
    told = name if each == 1 else f"{name} ({each:.2g} a call)"
    return (
        at_percentile(f"{told}, computing p50", step.computed, 0.5, unit="ms"),
        at_percentile(f"{told}, waiting p50", step.waited, 0.5, unit="ms"),
    )
