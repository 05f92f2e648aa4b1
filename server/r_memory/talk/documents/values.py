"""What goes into reading a document, and what comes of it. No behaviour."""

from collections import Counter
from dataclasses import dataclass, field

from r_memory.domain.documents import Document, DocumentState
from r_memory.domain.memories import MemoryItem
from r_memory.facts.remember.results import Remembered


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

    def and_of(self, remembered: Remembered) -> "PartFacts":
        """With what came of one more part."""
        verdicts = Counter(result.verdict for result in remembered.results)
        return PartFacts(
            stored=self.stored + verdicts["stored"],
            duplicate=self.duplicate + verdicts["duplicate"],
            quarantined=self.quarantined + verdicts["quarantined"],
            conflicts=tuple(dict.fromkeys((*self.conflicts, *(fact.fact_id for fact in remembered.conflicts)))),
            pending=self.pending + remembered.pending,
        )


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
