"""Vectors written down by their numbers."""

import struct
from collections.abc import Sequence

from r_memory.domain.memories import Vector


def vector_of(model: str, numbers: Sequence[float]) -> Vector:
    """The vector of these numbers.

    Raises:
        InvalidInput: as for `Vector`.
    """
    return Vector(model=model, data=struct.pack(f"<{len(numbers)}f", *numbers))
