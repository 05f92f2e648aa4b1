"""Writes charts into a store, by the same calls that every write takes."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from r_memory.protocols import Store
from r_memory_lab.bench.charts import BenchChart

Fill: TypeAlias = Callable[[Iterable[BenchChart], Callable[[], None]], Awaitable[int]]
"""Writes charts and returns the number of facts; the second argument is called after each chart."""


async def fill(store: Store, charts: Iterable[BenchChart], done: Callable[[], None]) -> int:
    """Writes charts and returns the number of facts; `done` is called after each chart.

    A patient's facts are one durable transaction. Patients are written one after another, as parallel ones share
    substances and ArcadeDB restarts all but one. About 40 patients a second; `bulk.py` is for more than a few thousand.
    """
    written = 0
    for chart in charts:
        await store.declare_subject(chart.subject)
        await store.add_episode(chart.episode)
        await store.append(chart.batch)
        written += len(chart.batch.facts)
        done()
    return written
