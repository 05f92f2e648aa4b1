"""A clock that stands still until it is told otherwise."""

from r_memory.domain.instants import Instant

MORNING: Instant = 1_795_256_102_000
"""2026-11-21T10:15:02Z, where every clock starts that is not told otherwise."""


class FixedClock:
    """A `Clock` for tests.

    >>> clock = FixedClock()
    >>> clock.advance(1_000)
    >>> clock.now() - MORNING
    1000
    """

    def __init__(self, instant: Instant = MORNING) -> None:
        self.instant = instant
        """What `now` gives; may be set to anything, earlier instants included."""

    def now(self) -> Instant:
        """The instant set last."""
        return self.instant

    def advance(self, milliseconds: int) -> None:
        """Moves the clock; a negative number turns it back."""
        self.instant += milliseconds
