"""A yes-or-no answer about memory, who gave it, and the examples that one can be learnt from. No behaviour."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The answer to one of the controller's questions (SCM's Q1 and Q2)."""

    yes: bool | None
    """`None`: the answer could not be understood or was not sure. Whoever asked decides what doubt means."""
    by: str
    """Who answered: `local/1`, `chat some-model`, `policy`."""
    score: float | None = None
    """How sure, from 0 to 1; `None` where nobody says."""
    trouble: str = ""
    """Why there is no answer: the model did not reply, or its reply was neither yes nor no."""


class Reach(StrEnum):
    """How far back one has to look to carry out what a user says."""

    ALONE = "alone"
    """Not at all: it stands by itself, or asks for what another system knows."""
    PREVIOUS = "previous"
    """To the turn before."""
    EARLIER = "earlier"
    """Further: to what was said, decided or told before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateExample:
    """What a user may say, and how far back it reaches."""

    text: str
    reach: Reach


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLesson:
    """What the local judge learns from."""

    examples: tuple[GateExample, ...]
    given_names: frozenset[str]
    """In small letters; a question about somebody known by the given name is about somebody known."""
