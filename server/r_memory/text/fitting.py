"""Vectors of length one, and the minimum of a smooth convex loss.

Gradient descent with step lengths from the last curvature (Raydan, *SIAM Journal on Optimization* 7, 1997). It is
deterministic; the models here have one minimum, so that every fit finds the same weights.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
_Real = TypeVar("_Real", bound=np.floating[Any])
Loss = Callable[[Numbers], tuple[float, Numbers]]
"""Returns the loss at given weights, and its gradient."""

_FLAT = 1e-4
"""The largest gradient component that counts as zero."""
_STEPS = 3000
_REMEMBERED = 10
"""Number of past losses; a step must get below the worst of them, so that single steps may lead up."""
_ENOUGH = 1e-4
"""Minimum share of the decrease promised by the gradient that a step must bring."""
_SMALLEST = 1e-12


def units(vectors: npt.NDArray[_Real]) -> npt.NDArray[_Real]:
    """A vector, or each row of several, scaled to length one; zeros stay zeros."""
    lengths = np.sqrt(np.vecdot(vectors, vectors))[..., None]
    scaled: npt.NDArray[_Real] = vectors / np.where(lengths > 0, lengths, lengths.dtype.type(1))
    return scaled


def least(loss: Loss, start: Numbers) -> Numbers:
    """The weights with the least loss, searched from `start`."""
    weights, (value, slope) = start, loss(start)
    step = 1 / max(float(np.linalg.norm(slope)), _SMALLEST)
    values = deque([value], maxlen=_REMEMBERED)
    for _ in range(_STEPS):
        if np.abs(slope).max() <= _FLAT:
            break
        before, former, promised = weights, slope, _ENOUGH * float(slope @ slope)
        weights = before - step * former
        value, slope = loss(weights)
        while value > max(values) - step * promised and step > _SMALLEST:
            step /= 2
            weights = before - step * former
            value, slope = loss(weights)
        values.append(value)
        moved, turned = weights - before, slope - former
        bent = float(moved @ turned)
        step = float(moved @ moved) / bent if bent > 0 else 1.0
    return weights
