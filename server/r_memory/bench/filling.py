"""Writes charts into a store, by the same calls that every write takes."""

import asyncio
from collections.abc import Callable, Iterable

from r_memory.bench.charts import Chart
from r_memory.protocols import Store

_AT_ONCE = 4


async def fill(store: Store, charts: Iterable[Chart], done: Callable[[], None]) -> int:
    """Number of facts written; `done` is called after each chart.

    One transaction holds all of a patient's facts, and a few patients are written at a time: nothing else is cut short.
    """
    waiting = iter(charts)
    written = 0

    async def writer() -> None:
        nonlocal written
        for chart in waiting:
            await store.declare_subject(chart.subject)
            await store.add_episode(chart.episode)
            await store.append(chart.batch)
            written += len(chart.batch.facts)
            done()

    async with asyncio.TaskGroup() as group:
        for _ in range(_AT_ONCE):
            group.create_task(writer())
    return written
