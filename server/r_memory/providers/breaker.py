"""The circuit breaker: after some failures in a row nothing is asked for a while, so that nobody waits in vain.

Knows the clock and counts; neither what is asked nor why it failed.
"""

from r_memory.domain.instants import Instant
from r_memory.protocols import Clock


class CircuitBreaker:
    """Closed at first; opens after `opens_after` failures in a row; lets one attempt through after `rests_ms`.

    >>> from r_memory.testing.clock import FixedClock
    >>> clock = FixedClock()
    >>> breaker = CircuitBreaker(clock, opens_after=1, rests_ms=1_000)
    >>> breaker.failed()
    >>> breaker.admits()
    False
    >>> clock.advance(1_000)
    >>> breaker.admits(), breaker.admits()
    (True, False)
    """

    def __init__(self, clock: Clock, *, opens_after: int = 3, rests_ms: int = 30_000) -> None:
        self._clock = clock
        self._opens_after = opens_after
        self._rests_ms = rests_ms
        self._failures = 0
        self._until: Instant | None = None
        """When it may be tried again; `None` while closed."""

    @property
    def rests_s(self) -> float:
        """Seconds until the next attempt; 0 while closed."""
        return 0 if self._until is None else max(0, self._until - self._clock.now()) / 1000

    def admits(self) -> bool:
        """Whether a request may be sent now.

        After a rest only the first caller may, until its outcome is known.
        """
        if self._until is None:
            return True
        if self._clock.now() < self._until:
            return False
        self._rest(self._rests_ms)
        return True

    def succeeded(self) -> None:
        """Records a success and closes the breaker."""
        self._failures = 0
        self._until = None

    def failed(self, *, rest_s: float = 0) -> None:
        """Records a failure; `rest_s` is the pause in seconds that the server asked for, 0 if none."""
        self._failures += 1
        if rest_s > 0 or self._failures >= self._opens_after:
            self._rest(max(self._rests_ms, int(rest_s * 1000)))

    def _rest(self, milliseconds: int) -> None:
        self._until = self._clock.now() + milliseconds
