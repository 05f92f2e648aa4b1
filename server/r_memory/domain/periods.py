"""Half-open periods of validity in the world, as opposed to the time at which something was recorded."""

from dataclasses import dataclass

from r_memory.domain.instants import Instant
from r_memory.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """When something holds: from `start` (included) to `end` (excluded)."""

    start: Instant | None = None
    """`None` means "for as long as anyone knows"."""
    end: Instant | None = None
    """`None` means "until further notice"."""

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise InvalidInput("a period ends after it starts; swap the two or leave one open")


ALWAYS = Period()
