"""Numbers behind words: vectors at length one, and the weights at which a smooth convex loss is least.

Steps down the slope, each as long as the last one says of the curvature (Raydan, *SIAM Journal on Optimization* 7,
1997): deterministic, and the models here have one least loss, so that whoever looks for it finds the same weights.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
_Real = TypeVar("_Real", bound=np.floating[Any])
Loss = Callable[[Numbers], tuple[float, Numbers]]
"""Weights to the loss there and its slope."""

_FLAT = 1e-4
"""The largest slope that counts as none."""
_STEPS = 3000
_REMEMBERED = 10
"""Losses, the worst of which a step must get below: now and then one has to lead up."""
_ENOUGH = 1e-4
"""Share of the fall that the slope promises, which a step must bring."""
_SMALLEST = 1e-12


def units(vectors: npt.NDArray[_Real]) -> npt.NDArray[_Real]:
    """A vector, or each row of several, at length one; zeros stay zeros."""
    lengths = np.sqrt(np.vecdot(vectors, vectors))[..., None]
    scaled: npt.NDArray[_Real] = vectors / np.where(lengths > 0, lengths, lengths.dtype.type(1))
    return scaled


def least(loss: Loss, start: Numbers) -> Numbers:
    """The weights of the least loss, sought from `start`."""
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
