"""What goes into reading a document, and what comes of it. No behaviour."""

from dataclasses import dataclass, field
from typing import Protocol

from r_memory.domain.documents import Document, DocumentState
from r_memory.domain.facts import Entity
from r_memory.domain.memories import MemoryItem


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """What came of reading one part, or several, for facts."""

    stored: int = 0
    duplicate: int = 0
    quarantined: int = 0
    """Sentences that a person must look at."""
    conflicts: tuple[str, ...] = ()
    """Ids of facts that somebody asserted and somebody denied, each once."""
    pending: int = 0
    """Parts whose words stay in view as a pending statement."""

    def __add__(self, other: "PartFacts") -> "PartFacts":
        return PartFacts(
            stored=self.stored + other.stored,
            duplicate=self.duplicate + other.duplicate,
            quarantined=self.quarantined + other.quarantined,
            conflicts=tuple(dict.fromkeys((*self.conflicts, *other.conflicts))),
            pending=self.pending + other.pending,
        )


class RememberPart(Protocol):
    """Remembers the words of a part as said by the document, and the facts in them: the same way as any statement."""

    async def __call__(self, text: str, *, about: Entity, source: str, document: str, key: str) -> PartFacts:
        """What came of it; the same `key` remembers nothing twice.

        Raises:
            StoreUnavailable: nothing was stored.
            NotStored: the words are stored, their facts are not yet.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far reading a document is, and what came of it in this call."""

    document: Document
    done: int
    """Steps that are over: parts read, summaries made. Grows with every report but the last, which may repeat it."""
    steps: int
    """How many there will be, as far as that is known; `done` is the same at the end."""
    facts: PartFacts = field(default_factory=PartFacts)
    """Found in this call."""
    trouble: str = ""
    """Why it goes no further now, and what to do; empty otherwise."""
    already: bool = False
    """The very same document was read before: nothing was done."""

    @property
    def is_done(self) -> bool:
        """Everything is stored and summarised."""
        return self.document.state is DocumentState.DONE

    @property
    def next_part(self) -> int:
        """Where to go on, from 1; 0 if there is nothing left. Once all parts are read, the last: summaries are due."""
        return 0 if self.is_done else min(self.document.read + 1, self.document.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """The summaries of one level, in the order of the document."""

    number: int
    """1 for the summaries of blocks."""
    items: tuple[MemoryItem, ...]
