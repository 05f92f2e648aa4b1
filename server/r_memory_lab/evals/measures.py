"""Counts into figures with an interval; knows nothing of any suite."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_Z = 1.959963984540054
"""Standard score of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A measured number with its sample size."""

    name: str
    value: float
    n: int
    """Sample size of a share; for a count, the number of items examined."""
    low: float | None = None
    high: float | None = None
    """Upper bound of the 95 % interval; `None` for a count."""
    unit: str = ""
    """Empty for shares and counts."""
    aim: str = ""
    """The required value, as written in the issue."""

    @property
    def is_share(self) -> bool:
        """Whether it is between 0 and 1, with an interval."""
        return self.low is not None and not self.unit


def share(name: str, hits: int, n: int, *, aim: str = "") -> Figure:
    """Returns a proportion with its Wilson interval; 0 with the widest interval for an empty sample.

    >>> figure = share("recall", 9, 10)
    >>> figure.value, round(figure.low, 3), round(figure.high, 3)
    (0.9, 0.596, 0.982)
    """
    low, high = wilson(hits, n)
    return Figure(name=name, value=hits / n if n else 0.0, n=n, low=low, high=high, aim=aim)


def count(name: str, value: int, n: int, *, aim: str = "") -> Figure:
    """Returns a number of cases among `n`."""
    return Figure(name=name, value=value, n=n, aim=aim)


def f1(name: str, *, right: int, wrong: int, missed: int, aim: str = "") -> Figure:
    """Returns the harmonic mean of precision and recall, with an interval.

    F1 is 2J/(1+J), where J is the share of cases that both sides name among those that either names; the interval is
    that of J, transformed.

    >>> round(f1("negated", right=90, wrong=10, missed=10).value, 3)
    0.9
    """
    n = right + wrong + missed
    low, high = (2 * bound / (1 + bound) for bound in wilson(right, n))
    return Figure(name=name, value=2 * right / (right + n) if n else 0.0, n=n, low=low, high=high, aim=aim)


def average(name: str, values: Sequence[float], *, aim: str = "") -> Figure:
    """Returns the mean of shares with a normal interval, limited to 0 to 1.

    >>> figure = average("recall@5", [1.0, 0.5, 0.0, 0.5])
    >>> figure.value, round(figure.low, 3), round(figure.high, 3)
    (0.5, 0.1, 0.9)
    """
    n = len(values)
    if n < 2:
        return Figure(name=name, value=sum(values), n=n, low=0.0, high=1.0, aim=aim)
    mean = sum(values) / n
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1) / n)
    low, high = max(0.0, mean - _Z * spread), min(1.0, mean + _Z * spread)
    return Figure(name=name, value=mean, n=n, low=low, high=high, aim=aim)


def difference(name: str, first: Sequence[float], second: Sequence[float], *, aim: str = "") -> Figure:
    """Returns the difference of two means in points, over the same items in the same order.

    The interval is normal, over the paired differences.

    >>> difference("a minus b", [1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]).value
    25.0
    """
    each = [100 * (item - other) for item, other in zip(first, second, strict=True)]
    n = len(each)
    mean = sum(each) / n if n else 0.0
    spread = math.sqrt(sum((value - mean) ** 2 for value in each) / (n - 1) / n) if n > 1 else math.inf
    return Figure(
        name=name,
        value=mean,
        n=n,
        low=max(-100.0, mean - _Z * spread),
        high=min(100.0, mean + _Z * spread),
        unit="points",
        aim=aim,
    )


def of_class(name: str, cases: Iterable[tuple[bool, bool]], *, aim: str = "") -> tuple[Figure, ...]:
    """Returns precision, recall and F1 of a class, from pairs of truth and prediction; `aim` is for F1.

    >>> [figure.value for figure in of_class("negated", [(True, True), (True, False), (False, False)])]
    [1.0, 0.5, 0.6666666666666666]
    """
    counts = Counter(cases)
    right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
    return (
        share(f"{name}: precision", right, right + wrong),
        share(f"{name}: recall", right, right + missed),
        f1(f"{name}: F1", right=right, wrong=wrong, missed=missed, aim=aim),
    )


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Returns the 95 % score interval of a proportion (Wilson 1927, J Am Stat Assoc 22:209)."""
    if n == 0:
        return 0.0, 1.0
    p, z2 = hits / n, _Z * _Z
    centre = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def percentile(values: Iterable[float], fraction: float) -> float:
    """Returns the nearest-rank percentile; 0 for no values.

    >>> percentile([1, 2, 3, 4], 0.5)
    2
    """
    ordered = sorted(values)
    return ordered[max(0, math.ceil(fraction * len(ordered)) - 1)] if ordered else 0.0


def at_percentile(name: str, values: Sequence[float], fraction: float, *, unit: str, aim: str = "") -> Figure:
    """Returns a percentile with the interval of order statistics, for any distribution.

    The rank of the percentile is binomial; its normal approximation gives the ranks of the bounds.

    >>> figure = at_percentile("p50", range(1, 101), 0.5, unit="ms")
    >>> figure.value, figure.low, figure.high
    (50, 40, 61)
    """
    ordered, n = sorted(values), len(values)
    spread = _Z * math.sqrt(n * fraction * (1 - fraction))
    low, high = math.floor(n * fraction - spread), math.ceil(n * fraction + spread) + 1
    return Figure(
        name=name,
        value=percentile(ordered, fraction),
        n=n,
        low=ordered[min(max(low, 1), n) - 1] if n else None,
        high=ordered[min(high, n) - 1] if n else None,
        unit=unit,
        aim=aim,
    )
