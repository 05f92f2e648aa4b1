"""What a search asks of every item, as columns of numbers: one row an item, room that grows. Knows no item."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from r_memory.protocols import Floats

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Whole = npt.NDArray[np.int64]


@dataclass(slots=True)
class Columns:
    """One number a row, with room to grow."""

    vectors: Floats
    meant: Mask
    """Whether there is a vector of the present embedder."""
    alive: Mask
    created: Whole
    accessed: Whole
    index: Whole
    seq: Whole
    importance: Whole
    conversation: Whole
    subject: Whole
    following: Rows
    """Row of the next turn of the same conversation, or -1."""
    preceding: Rows
    """Row of the turn before, or -1."""
    memory: Mask
    """Whether it was made of turns."""
    document: Mask
    """Whether it stands in a document."""
    covered: Mask
    """Whether it is part of a memory."""


def empty(rows: int, dimensions: int) -> Columns:
    """Room for so many rows, none of them alive."""

    def whole() -> Whole:
        return np.zeros(rows, dtype=np.int64)

    return Columns(
        vectors=np.zeros((rows, dimensions), dtype=np.float32),
        meant=np.zeros(rows, dtype=np.bool_),
        alive=np.zeros(rows, dtype=np.bool_),
        created=whole(),
        accessed=whole(),
        index=whole(),
        seq=whole(),
        importance=whole(),
        conversation=whole(),
        subject=whole(),
        following=np.full(rows, -1, dtype=np.int64),
        preceding=np.full(rows, -1, dtype=np.int64),
        memory=np.zeros(rows, dtype=np.bool_),
        document=np.zeros(rows, dtype=np.bool_),
        covered=np.zeros(rows, dtype=np.bool_),
    )


def grown(old: Columns, rows: int) -> Columns:
    """The same with room for so many rows."""
    new = empty(rows, old.vectors.shape[1])
    size = len(old.alive)
    for name in Columns.__slots__:
        getattr(new, name)[:size] = getattr(old, name)
    return new
