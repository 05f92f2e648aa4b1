"""A structured summary as text: for a context, and for a context that is short of room.

The record grows with the conversation; what is rendered does not: of each list the newest entries stand here, and how
many are left out is said. Stored words are shown as data, inert. Knows no store, no model and no budget.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from r_memory.domain.summaries import EMPTY, ConversationSummary
from r_memory.text.inert import inert
from r_memory.text.tokens import count
from r_memory_talk.language import pattern, words
from r_memory_talk.stream.words import language_of, terms

SHOWN = 160
"""Most characters of an entry in a context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLine:
    """The display of one field."""

    field: str
    heading: str
    most: int
    """Most entries in a context, from the newest; the topic has one."""
    keep: int = 0
    """Priority when room is short: fields with larger numbers stay longer."""
    newest_first: bool = False


LINES = (
    SummaryLine(field="core_discussion", heading="Topic", most=1, keep=1),
    SummaryLine(field="confirmed_needs", heading="Confirmed needs", most=8, keep=3),
    SummaryLine(field="constraints", heading="Constraints", most=12, keep=7),
    SummaryLine(field="excluded_options", heading="Excluded, not to be proposed again", most=12, keep=8),
    SummaryLine(field="key_data", heading="Key data", most=10, keep=4),
    SummaryLine(field="current_conclusion", heading="Conclusions, newest first", most=8, keep=6, newest_first=True),
    SummaryLine(field="pending_questions", heading="Open questions", most=4, keep=5),
    SummaryLine(field="pending_discussion", heading="Discussed before", most=6, keep=2),
)
"""The eight fields of CIM in order (A-13)."""

_SAME_MATTER = 0.6
"""Share of the shorter conclusion's words that a newer one must repeat to replace it."""


def section(content: ConversationSummary) -> str:
    """Returns the text of the summary for a context; empty lists are left out (CIM 12). Empty for an empty summary."""
    lines: list[str] = []
    for line in LINES:
        entries = _standing(line, content)
        if not entries:
            continue
        if line.most == 1:
            lines.append(f"{line.heading}: {inert(entries[-1], SHOWN)}")
            continue
        shown = _newest(line, entries)
        left = len(entries) - len(shown)
        lines.append(f"{line.heading} ({left} older not shown):" if left else f"{line.heading}:")
        lines += [f"- {inert(entry, SHOWN)}" for entry in shown]
    return "\n".join(lines)


def fitting(content: ConversationSummary, room: int) -> ConversationSummary:
    """Returns the summary without the entries that exceed `room` tokens.

    The topic is dropped first, constraints and exclusions last (CIM 28); within a field the oldest entries.
    """
    for line in sorted(LINES, key=lambda line: line.keep):
        while count(section(content)) > room and (entries := _standing(line, content)):
            fewer = _newest(line, entries)[:-1] if line.newest_first else _newest(line, entries)[1:]
            shorter: dict[str, Any] = {line.field: EMPTY if line.most == 1 else fewer}
            content = replace(content, **shorter)
    return content


def _standing(line: SummaryLine, content: ConversationSummary) -> tuple[str, ...]:
    """Returns the entries of a field; of conclusions on one matter only the newest."""
    entries = entries_of(line, content)
    return standing(entries) if line.newest_first else entries


def _newest(line: SummaryLine, entries: tuple[str, ...]) -> tuple[str, ...]:
    return entries[: line.most] if line.newest_first else entries[-line.most :]


def standing(conclusions: Sequence[str]) -> tuple[str, ...]:
    """Returns the conclusions, newest first, without those that a newer one on the same matter replaces (CIM 28).

    >>> standing(["We use MySQL for billing instead", "The office moves in May", "We use PostgreSQL for billing"])
    ('We use MySQL for billing instead', 'The office moves in May')
    """
    kept: list[str] = []
    for entry in conclusions:
        if not any(_replaces(newer, entry) for newer in kept):
            kept.append(entry)
    return tuple(kept)


def entries_of(line: SummaryLine, content: ConversationSummary) -> tuple[str, ...]:
    """Returns all entries of a field; empty if it was never discussed."""
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
