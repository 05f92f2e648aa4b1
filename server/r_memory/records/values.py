"""What is read in a structured file, before any of it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from r_memory.domain.events import Role
from r_memory.domain.facts import Proposal
from r_memory.domain.instants import Instant
from r_memory.protocols import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """An entry that is not imported, and why."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry of a file: its words, and the facts that its fields state."""

    id: str
    """As the file names it, such as `Condition/c1` or `row 7`."""
    text: str
    """All that it says, as a person can read it."""
    proposals: tuple[Proposal, ...]
    said_at: Instant | None = None
    """When the file says that it was recorded; `None` where it does not."""
    about: str = ""
    """Whom it is about, by the file's own id; empty where the file is about one person."""
    name: str = ""
    """Name of whom it is about, where the file gives one."""
    conversation: str = ""
    """Where it was said; of words that somebody said."""
    before: tuple[Turn, ...] = ()
    """The turns before it there, oldest first."""
    role: Role = "user"
    note: str = ""
    """What somebody should look at, such as a status that is in no table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who a file says that it is about."""

    ids: frozenset[str]
    name: str = ""
    born: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """A part of a file that is prose: its words are for the reader of documents."""

    title: str
    text: str
    said_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that was read in a file."""

    entries: tuple[Entry, ...] = ()
    refused: tuple[Refused, ...] = ()
    narratives: tuple[Narrative, ...] = ()
    persons: Mapping[str, Person] = field(default_factory=dict)
    """The persons that the file describes, by the id that its entries name."""
