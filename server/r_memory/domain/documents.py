"""A document as text, the plan of its summaries, and the progress of reading it. No behaviour; knows no file format."""

from dataclasses import dataclass, field
from typing import Literal

from r_memory.domain.blocks import NOTHING_CLASHES, StandingCheck
from r_memory.domain.instants import Instant
from r_memory.domain.memories import Document, DocumentState

Kind = Literal["text", "markdown", "pdf", "docx"]

ENCODING_GUESSED = "encoding_guessed"
BLANK_PAGES = "pages_without_text"
"""Pages without text, for example pictures; their content is unknown."""
DID_NOT_SHRINK = "did_not_shrink"
FORCED_SPLIT = "forced_split"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSection:
    """A stretch of a document in one place: as in the file, or a part of a few sentences."""

    text: str
    page: int = 0
    """Page number from 1; 0 if the file has no pages."""
    heading: str = ""
    """The last heading before it; empty if there is none."""
    line: int = 1
    """Line number in the whole file, from 1; used only if there are no pages."""
    number: int = 0
    """Number of a part in its document, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document as text."""

    sections: tuple[TextSection, ...]
    flags: tuple[str, ...] = ()
    blank_pages: tuple[int, ...] = ()

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(section.text for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a document is summarised."""

    meeting: bool = False
    """Whether it is a meeting: its theme is found first and is part of every prompt; blocks are smaller."""
    question: str = ""
    """What the summaries are for; empty for general summaries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartFacts:
    """The result of reading one part, or several, for facts."""

    stored: int = 0
    duplicate: int = 0
    waits: int = 0
    """Number of sentences that a person must look at."""
    conflicts: tuple[str, ...] = ()
    """Ids of facts with assertions and denials, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of reading a document, and the results of this call."""

    document: Document
    done: int
    """Number of finished steps (parts read, summaries made). It grows with every report, except that the last may
    repeat it.
    """
    steps: int
    """Expected number of steps; equal to `done` at the end."""
    facts: PartFacts = field(default_factory=PartFacts)
    standing: StandingCheck = NOTHING_CLASHES
    """Recorded facts that do not go together with a fact of this call; only in the last report."""
    trouble: str = ""
    """Why reading stopped, and what to do; empty otherwise."""
    already: bool = False
    """Whether the same document was read before: nothing was done."""
    said_at: Instant | None = None
    """When its words count as said; `None`: when they are read."""

    @property
    def is_done(self) -> bool:
        """Whether everything is stored and summarised."""
        return self.document.state is DocumentState.DONE

    @property
    def next_part(self) -> int:
        """Number of the next part, from 1; 0 if everything is done.

        After all parts are read, the last: summaries are missing.
        """
        return 0 if self.is_done else min(self.document.read + 1, self.document.parts)
