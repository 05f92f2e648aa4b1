"""What goes into the stream and comes out of it: finished turns, searches, what they came to and how long they took."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from r_memory.domain.instants import Instant
from r_memory.domain.memories import Hit, Scored, Tier

FLAG_IMPORTANCE = "importance"
"""An item whose importance could not be read: it counts as 5."""
FLAG_CUT = "cut_off"
"""A turn whose answer reached the model's limit before its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTurn:
    """A finished turn, or what was made of several."""

    conversation: str
    observation: str = ""
    response: str = ""
    objections: tuple[str, ...] = ()
    speaker: str = ""
    responder: str = ""
    subject_uid: str = ""
    summary: str = ""
    importance: object = None
    """From 1 to 10 as a model gave it; `None` if nobody judged."""
    tier: Tier = Tier.TURN
    sources: tuple[str, ...] = ()
    said_at: Instant | None = None
    """`None` is now."""
    key: str = ""
    """The same key stores the turn once."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search came to."""

    chosen: tuple[Hit, ...]
    """Best first."""
    ranked: tuple[Scored, ...]
    """Every candidate, best first."""
    trouble: str = ""
    """Why meaning was left out; empty if it was not."""
    steps_ms: Mapping[str, float] = field(default_factory=dict)


class Watch:
    """Milliseconds of each step, by its name."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._began = time.perf_counter()

    def lap(self, name: str) -> None:
        """Writes down what the step took that ends here."""
        now = time.perf_counter()
        self.laps[name] = (now - self._began) * 1000
        self._began = now
