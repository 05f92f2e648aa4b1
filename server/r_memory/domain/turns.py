"""What stands in front of a question beside the safety block, and what a finished turn brought. No behaviour.

The order of sections and of cutting is memory-systems 6: the safety block first and never cut, then scene, structured
summary, activated items, previous turns, and the question unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from r_memory.domain.decisions import TurnDecision
from r_memory.domain.memories import MemoryItem


class Part(StrEnum):
    """A section of a context, in the order in which they stand."""

    SCENE = "scene"
    """Surroundings as somebody described them (Mimir's sensory memory)."""
    SUMMARY = "summary"
    """The structured summary (CIM)."""
    MEMORY = "memory"
    """Activated items, oldest first (SCM, Mimir)."""
    PREVIOUS = "previous"
    """Flash memory: the last turn, or the last few."""


HEADINGS = {
    Part.SCENE: "[SCENE]:",
    Part.SUMMARY: "[CONVERSATION SUMMARY]:",
    Part.MEMORY: "[RELEVANT MEMORY]:",
    Part.PREVIOUS: "[PREVIOUS TURN]:",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section as it goes out."""

    part: Part
    text: str
    """Below its heading; stored words as data, stripped of our own markers."""
    tokens: int
    """With its heading."""
    ids: tuple[str, ...] = ()
    """Items that stand in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The conversational part of a context."""

    sections: tuple[Section, ...]
    """In their order; those that are empty are left out."""
    decision: TurnDecision
    failed: Mapping[str, str] = field(default_factory=dict)
    """Section to why it is missing."""

    @property
    def text(self) -> str:
        """All sections under their headings; empty where there is none."""
        return "\n".join(f"{HEADINGS[section.part]}\n{section.text}" for section in self.sections)

    @property
    def tokens(self) -> int:
        """Of all sections."""
        return sum(section.tokens for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What became of a turn that was answered."""

    item: MemoryItem
    """As stored."""
    summary_version: int
    """Of the structured summary that covers the turn; 0 if there is none yet."""
    made: tuple[str, ...] = ()
    """Ids of memories made by windows and by consolidation."""
    troubles: Mapping[str, str] = field(default_factory=dict)
    """What could not be done for this turn and is tried again with the next: `turn_summary`, `summary`, `tiers`,
    `vector`."""
