"""How memories are made of turns, and what came of it. No behaviour.

Defaults follow memory-systems A-6 and A-7. The recent messages that belong to a question (A-6: 4) are
`Profile.window`, the place that is reserved for a grave memory (A-3) is `Mimir.reserved`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from r_memory.errors import ConfigurationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Cosines at which two memories become one.

    Raises:
        ConfigurationError: the bounds are not in their order, or outside -1 to 1.
    """

    low: float = 0.80
    """Below, two memories are of different matters."""
    high: float = 0.95
    """Above, the newer says nothing new."""

    def __post_init__(self) -> None:
        if not -1 <= self.low <= self.high <= 1:
            raise ConfigurationError(f"a band from {self.low} to {self.high} holds no cosine; give 0.80 and 0.95")


BANDS: Mapping[str, Band] = {"wordllama": Band(low=0.72, high=0.95)}
"""Embedder, by the beginning of its name, to its band: those that were measured (docs/reference/tiers.md)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """Settings of the tiers.

    Raises:
        ConfigurationError: a number is below 1, or a window begins before there are turns for it.
    """

    last: int = 20
    """N: so many turns always stay as they were said; also the length of a window (A-6)."""
    full: int = 40
    """When so many turns are in no memory, the oldest `last` become one (2N, A-6)."""
    rest: int = 86_400_000
    """Milliseconds without a turn after which a conversation has rested: what is in no memory becomes one."""
    least: int = 2
    """Turns below which a rested conversation needs no memory: they are found as they are."""
    band: Band = field(default_factory=Band)
    """For embedders that `bands` does not name (A-7)."""
    bands: Mapping[str, Band] = field(default_factory=lambda: BANDS)
    same_words: bool = True
    """Above the band, a memory with a word that the known one lacks is consolidated as well: where a number changed,
    two memories differ by one word. Without, the cosine alone decides, as in A-7."""
    most_parts: int = 4
    """Windows that one long memory is made of; more would blur it."""
    patience: int = 3
    """Answers of no use to one window before the fallback writes its memory."""
    most_windows: int = 5
    """Memories made after one turn: an imported conversation is caught up with over several."""
    most_merges: int = 5
    """Consolidations after one turn."""

    def __post_init__(self) -> None:
        if min(self.last, self.most_parts, self.patience, self.most_windows, self.most_merges, self.least) < 1:
            raise ConfigurationError("a setting of the tiers is below 1; give 1 or more")
        if self.full < self.last:
            raise ConfigurationError(f"windows of {self.last} turns cannot be made of {self.full}; give twice as many")

    def band_of(self, model: str) -> Band:
        """The band of an embedder."""
        return next((band for name, band in self.bands.items() if model.startswith(name)), self.band)


@dataclass(slots=True, kw_only=True)
class TierReport:
    """What became of the tiers after a turn; filled while it is done."""

    made: tuple[str, ...] = ()
    """Ids of new memories, medium and long."""
    consolidated: tuple[str, ...] = ()
    """Ids of memories that are part of a long one now."""
    renewed: tuple[str, ...] = ()
    """Ids of memories that were met again, word for word or nearly."""
    trouble: str = ""
    """Why something is left for the next turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two memories of one conversation that belong together."""

    older: str
    newer: str
    cosine: float
    kind: Literal["consolidate", "duplicate"]
