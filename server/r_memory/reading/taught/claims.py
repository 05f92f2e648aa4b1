"""What the taught reader says of one stretch of words, as probabilities; it decides nothing.

`agreement.py` weighs it against the closed rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Generic, TypeVar

from r_memory.domain.facts import Status

Thing = TypeVar("Thing")
_CELL = 64
"""Characters."""


class Person(StrEnum):
    """Whom a statement is about."""

    SUBJECT = "subject"
    RELATIVE = "relative"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """Where words stand, in characters of the utterance or of the question before it."""

    in_question: bool = False
    start: int
    end: int

    def touches(self, other: "Place") -> bool:
        """Whether the two share a character."""
        return self.in_question == other.in_question and self.start < other.end and other.start < self.end

    def moved(self, by: int) -> "Place":
        """The place so many characters on; in the question it stays where it is."""
        return self if self.in_question or not by else Place(start=self.start + by, end=self.end + by)


class Places(Generic[Thing]):
    """Things, each with its place, found without a look at all of them."""

    def __init__(self, things: Iterable[tuple[Place, Thing]]) -> None:
        self._cells: defaultdict[tuple[bool, int], list[tuple[int, Place, Thing]]] = defaultdict(list)
        for number, (place, thing) in enumerate(things):
            for cell in _cells(place):
                self._cells[place.in_question, cell].append((number, place, thing))

    def touching(self, place: Place) -> list[Thing]:
        """Those that share a character with the place, in the order in which they were given."""
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
    """Attribute as the corpus calls it."""
    place: Place
    probability: float
    """That these words belong to this statement."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One relation that the words may state."""

    relation: str
    """Relation of the schema."""
    probability: float
    """Calibrated; relations are independent of each other, and one stretch may state two."""
    statuses: Mapping[Status, float]
    """Sums to one, under the condition that the relation is stated."""
    persons: Mapping[Person, float]
    """Sums to one, under the same condition."""

    @property
    def status(self) -> Status:
        """The likeliest."""
        return max(self.statuses, key=lambda status: self.statuses[status])

    @property
    def person(self) -> Person:
        """The likeliest."""
        return max(self.persons, key=lambda person: self.persons[person])


@dataclass(frozen=True, slots=True, kw_only=True)
class TaughtClaim:
    """What the reader says of one candidate: a lexicon mention, or words that it took for a thing by themselves."""

    place: Place
    known: bool
    """A lexicon mention was handed in for these words."""
    nothing: float
    """Calibrated probability that they state nothing for the record."""
    statements: tuple[Statement, ...]
    """Likeliest first; those that are hardly likely at all are left out."""
    details: tuple[Detail, ...] = ()
    classes: Mapping[str, str] = field(default_factory=dict)
    """Closed values that were read beside it, such as a severity, a scope or a relative, by name."""

    def moved(self, by: int) -> "TaughtClaim":
        """The claim so many characters on, with the very same `statements`."""
        details = tuple(replace(one, place=one.place.moved(by)) for one in self.details)
        return replace(self, place=self.place.moved(by), details=details) if by else self
