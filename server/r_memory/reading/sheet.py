"""A document while its lines are read: what they state, what waits, and what is left for the readers of prose."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from r_memory.domain.facts import Proposal, ReviewItem, Span, Status
from r_memory.protocols import Utterance
from r_memory.reading.orders import SheetOrder


class SheetAct(StrEnum):
    """What a heading says of the things below it, beside naming their relation."""

    STATED = "stated"
    ENDED = "ended"
    PAUSED = "paused"
    BEGUN = "begun"
    POSSIBLE = "possible"
    NOTHING = "nothing"


STATUS = {SheetAct.STATED: Status.ACTIVE, SheetAct.BEGUN: Status.ACTIVE, SheetAct.ENDED: Status.RESOLVED}
"""Statuses of entries; under other headings they are unconfirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetSection:
    """A heading with its meaning."""

    relation: str
    """Empty if the type of each thing decides."""
    act: SheetAct


@dataclass(slots=True, kw_only=True)
class Sheet:
    """What the layout of a document states, and the text that is left for prose."""

    utterance: Utterance
    wards: bool
    """Its lines belong to several beds."""
    orders: Sequence[SheetOrder]
    entries: list[Proposal] = field(default_factory=list)
    waits: list[ReviewItem] = field(default_factory=list)
    taken: list[Span] = field(default_factory=list)
    section: SheetSection | None = None
    """The heading above the line that is read."""
    head: Span | None = None
    """Its place; `None` if it stands above the text."""
    carried: str = ""
    """Its words in that case."""
    before: tuple[int, int, int] = (0, 0, 0)
    """How many entries, waiting lines and taken stretches there were above it."""
    apart: bool = False
    """A blank line stands before the line that is read."""
    other: str = ""
    """The heading with another person's name, above the line that is read."""
    told_of_other: bool = False
    """A line was read below it."""
    rows: SheetSection | None = None
    """The meaning of the first column of the table that is read."""

    def open(self, section: SheetSection, head: Span) -> None:
        """Begins a section."""
        self.before = (len(self.entries), len(self.waits), len(self.taken))
        self.section, self.head = section, head
        self.take(head.start, head.end)

    def leave(self) -> None:
        """Ends the section and gives all of it back to the inner reader: there its heading counts as well."""
        entries, waits, taken = self.before
        del self.entries[entries:], self.waits[waits:], self.taken[taken:]
        self.section = None

    def begin_other(self, heading: str) -> None:
        """Begins what is about somebody else; empty ends it."""
        self.section, self.head = None, None
        self.other, self.told_of_other = heading, False

    @property
    def text(self) -> str:
        """The whole document."""
        return self.utterance.text

    @property
    def above(self) -> str:
        """The headings in force behind the last line, a line each."""
        text = self.carried if self.head is None or self.other else self.text[self.head.start : self.head.end]
        return "\n".join(each for each in (self.other, text.strip() if self.section is not None else "") if each)

    def wait(self, start: int, end: int, reason: str) -> None:
        """Keeps a stretch from all readers, for a person."""
        self.waits.append(ReviewItem(text=self.text[start:end], span=Span(start=start, end=end), reason=reason))
        self.take(start, end)

    def take(self, start: int, end: int) -> None:
        """Keeps a stretch from the inner reader."""
        self.taken += [Span(start=start, end=end)] if end > start else []

    @property
    def prose(self) -> str:
        """The text with blanks for everything that was taken; its offsets are those of the text."""
        left = list(self.text)
        for span in self.taken:
            blank = [" "] * (span.end - span.start)
            blank[:1] = blank[-1:] = ["\n"]  # so that no sentence goes on across it
            left[span.start : span.end] = blank if span.end - span.start > 1 else ["\n"]
        return "".join(left)


LineReader = Callable[[Sheet, str, int], bool]
"""Reads a line at an offset of a document into its sheet; false, with nothing read, for a line of another kind."""
