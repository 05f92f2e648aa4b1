"""What the parts of a benchmark share: how they tell of their progress."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

Begin: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Begins a piece of work that a person may watch: what it is, and its number of steps; within the context, what to
call after each step."""
