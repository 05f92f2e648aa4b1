"""Writes charts into a store, by the same calls that every write takes."""

from collections.abc import Awaitable, Callable, Iterable
from typing import TypeAlias

from r_memory.protocols import Store
from r_memory_lab.bench.charts import Chart

Fill: TypeAlias = Callable[[Iterable[Chart], Callable[[], None]], Awaitable[int]]
"""Writes charts and gives the number of their facts; what is called after each chart comes second."""


async def fill(store: Store, charts: Iterable[Chart], done: Callable[[], None]) -> int:
    """Number of facts written; `done` is called after each chart.

    All of a patient's facts are one transaction, durable like any other. Patients are written one after the other:
    several at once meet at the same few substances, and ArcadeDB makes all but one of them start again. Some 40
    patients a second: `bulk.py` is for more than a few thousand.
    """
    written = 0
    for chart in charts:
        await store.declare_subject(chart.subject)
        await store.add_episode(chart.episode)
        await store.append(chart.batch)
        written += len(chart.batch.facts)
        done()
    return written
