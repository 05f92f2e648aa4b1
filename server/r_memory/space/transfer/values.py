"""What an export holds: one header, then one value a line. No behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from r_memory.domain.blocks import Receipt
from r_memory.domain.decisions import TurnDecision
from r_memory.domain.documents import Document
from r_memory.domain.events import Episode, FactEvent
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem
from r_memory.domain.summaries import KeptSummary

FORMAT = 1
"""Of the file; a reader refuses a higher one."""

Exportable = Entity | Episode | FactEvent | Receipt | MemoryItem | KeptSummary | TurnDecision | Document
KINDS: Mapping[str, type[Exportable]] = {
    "subject": Entity,
    "statement": Episode,
    "event": FactEvent,
    "receipt": Receipt,
    "item": MemoryItem,
    "summary": KeptSummary,
    "decision": TurnDecision,
    "document": Document,
}
"""Kind of a line to what it holds, in the order of the file: of each subject the first four, then the others."""
OF_SUBJECT = ("subject", "statement", "event", "receipt")


def kind_of(value: Exportable) -> str:
    """What the lines of such values are called."""
    return next(kind for kind, class_ in KINDS.items() if isinstance(value, class_))


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line."""

    r_memory_export: int = FORMAT
    space: str
    subject: str = ""
    """Id of the only subject in it; empty: all of the space."""
    exported_at: str
    """ISO-8601, for people."""
    schema: str
    schema_version: str
    pack: str
    """The knowledge pack that objects of facts belong to."""
    pack_version: str
    counts: Mapping[str, int] = field(default_factory=dict)
    """Kind to the number of its lines."""
    sha256: str = ""
    """Of all lines below, as bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A file that can be imported."""

    header: Header
    erased: Mapping[str, Entity]
    """Keys of those in it who were erased here, each with the trace that stands in their place."""


def about(value: Exportable) -> str:
    """The key of the subject that a value is about; empty for nobody."""
    return str(getattr(value, "subject_uid", ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One value of a file, and where it stands."""

    number: int
    """The header is line 1."""
    value: Exportable


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Everything of the ledger about one subject."""

    number: int
    """Line where it begins."""
    subject: Entity
    statements: tuple[Episode, ...] = ()
    events: tuple[FactEvent, ...] = ()
    receipts: tuple[Receipt, ...] = ()
