"""What the taught reader says of one stretch of words, as probabilities; it decides nothing.

`agreement.py` weighs it against the closed rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from r_memory.domain.facts import Status


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
