"""The weights at which a smooth convex loss is least, for the linear models that read words.

Limited-memory BFGS over numpy (Nocedal and Wright, *Numerical Optimization*, 2nd edition, algorithms 7.4 and 3.1):
deterministic, and the models here have one least loss, so that whoever looks for it finds the same weights.
"""

from collections import deque
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Loss = Callable[[Numbers], tuple[float, Numbers]]
"""Weights to the loss there and its slope."""

_FLAT = 1e-4
"""The largest slope that counts as none."""
_STEPS = 1000
_REMEMBERED = 10
_ENOUGH = 1e-4
"""Share of the fall that the slope promises, which a step must bring."""
_SMALLEST = 1e-12


def least(loss: Loss, start: Numbers) -> Numbers:
    """The weights of the least loss, sought from `start`."""
    weights, (value, slope) = start, loss(start)
    past: deque[tuple[Numbers, Numbers]] = deque(maxlen=_REMEMBERED)
    for _ in range(_STEPS):
        if np.abs(slope).max() <= _FLAT:
            break
        direction = -_bent(slope, past) if past else -slope / np.linalg.norm(slope)
        step = _step(loss, weights, value, direction, float(slope @ direction))
        before, former = weights, slope
        weights = weights + step * direction
        value, slope = loss(weights)
        if (slope - former) @ (weights - before) > 0:
            past.append((weights - before, slope - former))
        if step < _SMALLEST:
            break
    return weights


def _bent(slope: Numbers, past: deque[tuple[Numbers, Numbers]]) -> Numbers:
    """The slope, times the inverse of the curvature as far as the last steps show it."""
    shares = []
    bent = slope
    for moved, turned in reversed(past):
        shares.append(float(moved @ bent) / float(moved @ turned))
        bent = bent - shares[-1] * turned
    moved, turned = past[-1]
    bent = bent * (moved @ turned) / (turned @ turned)
    for (moved, turned), share in zip(past, reversed(shares), strict=True):
        bent = bent + moved * (share - float(turned @ bent) / float(moved @ turned))
    return bent


def _step(loss: Loss, weights: Numbers, value: float, direction: Numbers, fall: float) -> float:
    """How far to go along the direction: all of it, halved until the loss falls as promised."""
    step = 1.0
    while loss(weights + step * direction)[0] > value + _ENOUGH * step * fall and step >= _SMALLEST:
        step /= 2
    return step
