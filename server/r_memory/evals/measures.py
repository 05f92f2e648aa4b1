"""Counts into figures with an interval; knows nothing of any suite."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_Z = 1.959963984540054
"""Two-sided 95 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number, with what it was counted over."""

    name: str
    value: float
    n: int
    """What the share is taken over; for plain counts, how many items were looked at."""
    low: float | None = None
    high: float | None = None
    """95 % interval of a share; `None` for plain counts."""
    aim: str = ""
    """What was asked for, as written in the issue."""


def share(name: str, hits: int, n: int, *, aim: str = "") -> Figure:
    """A proportion with its Wilson interval; 0 with the widest interval when there was nothing to count.

    >>> figure = share("recall", 9, 10)
    >>> figure.value, round(figure.low, 3), round(figure.high, 3)
    (0.9, 0.596, 0.982)
    """
    low, high = wilson(hits, n)
    return Figure(name=name, value=hits / n if n else 0.0, n=n, low=low, high=high, aim=aim)


def count(name: str, value: int, n: int, *, aim: str = "") -> Figure:
    """A plain number of cases among `n`."""
    return Figure(name=name, value=value, n=n, aim=aim)


def wilson(hits: int, n: int) -> tuple[float, float]:
    """95 % score interval of a proportion (Wilson 1927, J Am Stat Assoc 22:209)."""
    if n == 0:
        return 0.0, 1.0
    p, z2 = hits / n, _Z * _Z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def percentile(values: Iterable[float], fraction: float) -> float:
    """Nearest-rank percentile; 0 for no values.

    >>> percentile([1, 2, 3, 4], 0.5)
    2
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)] if ordered else 0.0
