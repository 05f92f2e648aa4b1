"""How long calls take, in milliseconds, and figures of that."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from r_memory_lab.evals.measures import Figure, at_percentile

Got = TypeVar("Got")
MS = "ms"


async def timed(call: Callable[[], Awaitable[Got]]) -> tuple[Got, float]:
    """Returns the result of the call, and its milliseconds."""
    began = time.perf_counter()
    got = await call()
    return got, (time.perf_counter() - began) * 1000


def spread(name: str, values: Sequence[float], *, aim: str = "", median_aim: str = "") -> tuple[Figure, ...]:
    """Returns median, 95th and 99th percentile of milliseconds; `aim` is for the 95th."""
    aims = {0.5: median_aim, 0.95: aim, 0.99: ""}
    return tuple(
        at_percentile(f"{name} p{round(100 * fraction)}", values, fraction, unit=MS, aim=wanted)
        for fraction, wanted in aims.items()
    )
