"""What the taught reader says of one stretch of words, as probabilities; it decides nothing.

`agreement.py` weighs it against the closed rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from r_memory.domain.facts import Status

Thing = TypeVar("Thing")
_CELL = 64
"""Characters."""


class Person(StrEnum):
    """The person whom a statement is about."""

    SUBJECT = "subject"
    RELATIVE = "relative"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """A place of words, in characters of the utterance or of the question before it."""

    in_question: bool = False
    start: int
    end: int

    def touches(self, other: "Place") -> bool:
        """Whether both share a character."""
        return self.in_question == other.in_question and self.start < other.end and other.start < self.end


class Places(Generic[Thing]):
    """Finds things by their place, without comparing all of them."""

    def __init__(self, things: Iterable[tuple[Place, Thing]]) -> None:
        self._cells: defaultdict[tuple[bool, int], list[tuple[int, Place, Thing]]] = defaultdict(list)
        for number, (place, thing) in enumerate(things):
            for cell in _cells(place):
                self._cells[place.in_question, cell].append((number, place, thing))

    def touching(self, place: Place) -> list[Thing]:
        """Returns the things that share a character with the place, in the order given."""
        found = {
            number: thing
            for cell in _cells(place)
            for number, other, thing in self._cells.get((place.in_question, cell), ())
            if place.touches(other)
        }
        return [found[number] for number in sorted(found)]


def _cells(place: Place) -> range:
    return range(place.start // _CELL, place.end // _CELL + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Words that belong to a statement, such as a reaction or a date."""

    name: str
    """Attribute, as the corpus names it."""
    place: Place
    probability: float
    """Probability that the words belong to this statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtStatement:
    """One relation that the words may state."""

    relation: str
    """Relation of the schema."""
    probability: float
    """Calibrated. Relations are independent, so one stretch may state two."""
    statuses: Mapping[Status, float]
    """Probabilities if the relation is stated; they add up to 1."""
    persons: Mapping[Person, float]
    """Probabilities if the relation is stated; they add up to 1."""

    @property
    def status(self) -> Status:
        """The likeliest status."""
        return max(self.statuses, key=lambda status: self.statuses[status])

    @property
    def person(self) -> Person:
        """The likeliest person."""
        return max(self.persons, key=lambda person: self.persons[person])


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtClaim:
    """The taught reader's claim about one stretch: a lexicon mention, or words that it found itself."""

    place: Place
    known: bool
    """The words are a lexicon mention from the caller."""
    nothing: float
    """Calibrated probability that the words state nothing."""
    statements: tuple[TaughtStatement, ...]
    """Likeliest first; very unlikely ones are left out."""
    details: tuple[Detail, ...] = ()
    classes: Mapping[str, str] = field(default_factory=dict)
    """Values of closed attributes read beside it, by name: severity, scope, relative."""
