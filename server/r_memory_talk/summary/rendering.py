"""A structured summary as text: for a context, and for a context that is short of room.

The record grows with the conversation; what is rendered does not: of each list the newest entries stand here, and how
many are left out is said. Stored words are shown as data, inert. Knows no store, no model and no budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from r_memory.domain.summaries import EMPTY, ConversationSummary
from r_memory.text.inert import inert
from r_memory_talk.language import pattern, words
from r_memory_talk.stream.words import language_of, terms

SHOWN = 160
"""Characters of an entry in a context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """How one field is shown."""

    field: str
    heading: str
    most: int
    """Entries in a context, the newest; the topic has one."""
    settled: int = 0
    """Entries where room is short; 0 leaves the field out."""
    newest_first: bool = False


LINES = (
    Line(field="core_discussion", heading="Topic", most=1),
    Line(field="confirmed_needs", heading="Confirmed needs", most=8),
    Line(field="constraints", heading="Constraints", most=12, settled=8),
    Line(field="excluded_options", heading="Excluded, not to be proposed again", most=12, settled=12),
    Line(field="key_data", heading="Key data", most=10, settled=6),
    Line(field="current_conclusion", heading="Conclusions, newest first", most=8, settled=4, newest_first=True),
    Line(field="pending_questions", heading="Open questions", most=4),
    Line(field="pending_discussion", heading="Discussed before", most=6),
)
"""The eight fields of CIM in their order (A-13)."""

_SAME_MATTER = 0.6
"""Share of the shorter conclusion's words that a newer one must repeat to stand in its place."""


def section(content: ConversationSummary) -> str:
    """The summary for a context; empty lists are left out (CIM 12), and an empty summary is no text."""
    return _shown(content, [line.most for line in LINES])


def settled(content: ConversationSummary) -> str:
    """What must not be lost where room is short: constraints, exclusions, conclusions and key data (CIM 28)."""
    return _shown(content, [line.settled for line in LINES])


def standing(conclusions: Sequence[str]) -> tuple[str, ...]:
    """Of conclusions, newest first, those that no newer one of the same matter takes the place of (CIM 28).

    >>> standing(["We use MySQL for billing instead", "The office moves in May", "We use PostgreSQL for billing"])
    ('We use MySQL for billing instead', 'The office moves in May')
    """
    kept: list[str] = []
    for entry in conclusions:
        if not any(_replaces(newer, entry) for newer in kept):
            kept.append(entry)
    return tuple(kept)


def _shown(content: ConversationSummary, most: Sequence[int]) -> str:
    """The newest entries of each field, at most so many."""
    lines: list[str] = []
    for line, number in zip(LINES, most, strict=True):
        entries = standing(entries_of(line, content)) if line.newest_first else entries_of(line, content)
        if not (entries and number):
            continue
        shown = entries[:number] if line.newest_first else entries[-number:]
        if line.most == 1:
            lines.append(f"{line.heading}: {inert(shown[-1], SHOWN)}")
            continue
        left = len(entries) - len(shown)
        lines.append(f"{line.heading} ({left} older not shown):" if left else f"{line.heading}:")
        lines += [f"- {inert(entry, SHOWN)}" for entry in shown]
    return "\n".join(lines)


def entries_of(line: Line, content: ConversationSummary) -> tuple[str, ...]:
    """Everything that stands in a field; nothing where it was never discussed."""
    value: str | tuple[str, ...] = getattr(content, line.field)
    if isinstance(value, str):
        return () if value == EMPTY else (value,)
    return value


def _replaces(newer: str, older: str) -> bool:
    ours, theirs = (set(terms(entry, language_of(entry))) for entry in (newer, older))
    shared = len(ours & theirs)
    said = {word.strip(".,;:!") for word in newer.casefold().split()}
    reverses = pattern("summary", "reversed_zh").search(newer) or not said.isdisjoint(words("summary", "reversed"))
    if shared and reverses:
        return True
    return shared > 1 and shared >= _SAME_MATTER * min(len(ours), len(theirs))
