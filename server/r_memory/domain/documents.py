"""A document that was read into the memory, and how far. No behaviour."""

from dataclasses import dataclass
from enum import StrEnum

from r_memory.domain.instants import Instant


class DocumentState(StrEnum):
    """How far a document was read."""

    PARTIAL = "partial"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text in parts; its parts and summaries are items of the stream with the tier `document`."""

    id: str
    """Derived from space, subject, name and content, so that the same document is read once."""
    space: str
    name: str
    subject_uid: str = ""
    digest: str
    """sha256 of the text."""
    parts: int
    """How many there are."""
    read: int = 0
    """How many of them are stored, with their facts."""
    state: DocumentState = DocumentState.PARTIAL
    plan: str = ""
    """How the summaries in `root` were asked for: another plan makes others of the same parts."""
    theme: str = ""
    """One line, for meetings."""
    root: str = ""
    """Id of the item that summarises all of it; empty until then."""
    levels: int = 0
    """Levels of summaries above the parts."""
    made_at: Instant
    flags: tuple[str, ...] = ()
    """What was out of the ordinary: `forced_split`, `did_not_shrink`, `no_scm`, `encoding_guessed`,
    `pages_without_text`."""
