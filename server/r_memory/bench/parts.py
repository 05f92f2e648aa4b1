"""What the parts of a benchmark share: how they tell of their progress."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol


class Begin(Protocol):
    """Begins a piece of work that a person may watch."""

    def __call__(self, what: str, total: int) -> AbstractContextManager[Callable[[], None]]:
        """Within the context, what to call after each of `total` steps."""
