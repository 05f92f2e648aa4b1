"""A document as words, how it is to be summarised, and how far reading it is. No behaviour; knows no format."""

from dataclasses import dataclass, field
from typing import Literal

from r_memory.domain.blocks import NOTHING_CLASHES, StandingCheck
from r_memory.domain.instants import Instant
from r_memory.domain.memories import Document, DocumentState

Kind = Literal["text", "markdown", "pdf", "docx"]

ENCODING_GUESSED = "encoding_guessed"
BLANK_PAGES = "pages_without_text"
"""Pages that hold pictures at best: what stands on them is not known."""
DID_NOT_SHRINK = "did_not_shrink"
FORCED_SPLIT = "forced_split"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSection:
    """A stretch of a document that stands in one place: as a file has it, or a part of a few sentences."""

    text: str
    page: int = 0
    """From 1; 0 where the kind of file has no pages."""
    heading: str = ""
    """The last heading before it; empty for none."""
    line: int = 1
    """Where it begins, counted from 1 in the whole file; of use only where there are no pages."""
    number: int = 0
    """Of a part in its document, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document as words."""

    sections: tuple[TextSection, ...]
    flags: tuple[str, ...] = ()
    blank_pages: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(section.text for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a document is to be summarised."""

    meeting: bool = False
    """A theme is found first and stands in every prompt; blocks are smaller."""
    question: str = ""
    """What the summaries are for; empty for everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """What came of reading one part, or several, for facts."""

    stored: int = 0
    duplicate: int = 0
    waits: int = 0
    """Sentences that a person must look at."""
    conflicts: tuple[str, ...] = ()
    """Ids of facts that somebody asserted and somebody denied, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far reading a document is, and what came of it in this call."""

    document: Document
    done: int
    """Steps that are over: parts read, summaries made. Grows with every report but the last, which may repeat it."""
    steps: int
    """How many there will be, as far as that is known; `done` is the same at the end."""
    facts: PartFacts = field(default_factory=PartFacts)
    standing: StandingCheck = NOTHING_CLASHES
    """What is recorded and does not go together with a fact of this call; in the last report only."""
    trouble: str = ""
    """Why it goes no further now, and what to do; empty otherwise."""
    already: bool = False
    """The very same document was read before: nothing was done."""
    said_at: Instant | None = None
    """When its words count as said; `None`: nobody said, so they count as said when they are read."""

    @property
    def is_done(self) -> bool:
        """Everything is stored and summarised."""
        return self.document.state is DocumentState.DONE

    @property
    def next_part(self) -> int:
        """Where to go on, from 1; 0 if there is nothing left. Once all parts are read, the last: summaries are due."""
        return 0 if self.is_done else min(self.document.read + 1, self.document.parts)
