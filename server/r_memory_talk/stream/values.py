"""What goes into the stream and comes out of it: finished turns, searches, what they came to and how long they took."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Hit, Scored, Tier

FLAG_IMPORTANCE = "importance"
"""Flag of an item whose importance could not be read; it counts as 5."""
FLAG_CUT = "cut_off"
"""Flag of a turn whose answer was cut off at the model's length limit."""
FLAG_NOTHING = "states_nothing"
"""Flag of a turn whose words the caller read as stating nothing, such as a draft shown for checking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """A finished turn, or a memory made of several."""

    conversation: str
    observation: str = ""
    response: str = ""
    objections: tuple[str, ...] = ()
    speaker: str = ""
    responder: str = ""
    subject_uid: str = ""
    summary: str = ""
    importance: object = None
    """From 1 to 10, as the model gave it; `None` if not rated."""
    tier: Tier = Tier.TURN
    sources: tuple[str, ...] = ()
    said_at: Instant | None = None
    """`None`: now."""
    key: str = ""
    """A turn with the same key is stored once."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The result of a search."""

    chosen: tuple[Hit, ...]
    """Best first."""
    ranked: tuple[Scored, ...]
    """Every candidate, best first."""
    trouble: str = ""
    """Why meaning was not used; empty if it was."""
    steps_ms: Mapping[str, float] = field(default_factory=dict)


class Watch:
    """Measures the milliseconds of named steps."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._began = time.perf_counter()

    def lap(self, name: str) -> None:
        """Records the time since the last lap as that of the step `name`."""
        now = time.perf_counter()
        self.laps[name] = (now - self._began) * 1000
        self._began = now
