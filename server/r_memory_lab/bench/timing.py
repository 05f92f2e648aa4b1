"""How long calls take, in milliseconds, and figures of that."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from r_memory_lab.evals.measures import Figure, at_percentile

Got = TypeVar("Got")
MS = "ms"


async def timed(call: Callable[[], Awaitable[Got]]) -> tuple[Got, float]:
    """What the call gives, and the milliseconds it took."""
    began = time.perf_counter()
    got = await call()
    return got, (time.perf_counter() - began) * 1000


def spread(name: str, values: Sequence[float], *, aim: str = "") -> tuple[Figure, ...]:
    """Median, 95th and 99th percentile of milliseconds; the aim is that of the 95th."""
    return tuple(
        at_percentile(
            f"{name} p{round(100 * fraction)}", values, fraction, unit=MS, aim=aim if fraction == 0.95 else ""
        )
        for fraction in (0.5, 0.95, 0.99)
    )
