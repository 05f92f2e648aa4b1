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
class FileEntry:
    """One entry of a file: its words, and the facts that its fields state."""

    id: str
    """The file's own name for the entry, such as `Condition/c1` or `row 7`."""
    text: str
    """All its content, readable by a person."""
    proposals: tuple[Proposal, ...]
    said_at: Instant | None = None
    """When the file recorded it; `None` if unknown."""
    about: str = ""
    """The person's id in the file; empty if the file is about one person."""
    name: str = ""
    """The person's name, if the file gives one."""
    conversation: str = ""
    """The conversation in which it was said; empty for a record."""
    before: tuple[Turn, ...] = ()
    """The earlier turns of the conversation, oldest first."""
    role: Role = "user"
    note: str = ""
    """What a person should look at, such as a status that is in no table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePerson:
    """A person as the file describes them."""

    ids: frozenset[str]
    name: str = ""
    born: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """A prose part of a file, for the reader of documents."""

    title: str
    text: str
    said_at: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReading:
    """Everything that was read in a file."""

    entries: tuple[FileEntry, ...] = ()
    refused: tuple[Refused, ...] = ()
    narratives: tuple[Narrative, ...] = ()
    persons: Mapping[str, FilePerson] = field(default_factory=dict)
    """The persons in the file, by the id that its entries use."""
