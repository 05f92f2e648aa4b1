"""What the parts of a benchmark share: how they tell of their progress."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

Begin: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Starts a visible piece of work with a name and a number of steps; yields the function to call after each step."""
