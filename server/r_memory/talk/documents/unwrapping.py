"""Lines that only ran out of room, made whole: a file wrapped at eighty columns says nothing by its line ends.

Keeps every offset: a line end becomes a blank. Pure.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

_NARROWEST = 40
"""Characters of the widest line of a paragraph below which nobody wrapped it."""
_FULL = 0.95
"""Share of the widest line from which a line is full: letters of a printed page differ in width."""
_STOPPED = re.compile(r"[.!?…:;。！？：；][\"'”’)\]」』]*$")  # noqa: RUF001 - full-width and typographic marks are meant
_ITEM = re.compile(r"\s*(?:[-*•#>|+]|\d{1,3}[.)]\s|[^\W\d_][\w ]{0,30}:\s)")
"""Begins an entry of a list or a table, a heading, or `Name: `."""
_WORD = re.compile(r"\S+")


def unwrapped(text: str) -> str:
    """The text, with a blank for each line end that stands within a sentence because the line was full.

    >>> unwrapped("The patient has been severely allergic to\\nPenicillin since 2019.\\nNo latex.")
    'The patient has been severely allergic to Penicillin since 2019.\\nNo latex.'
    """
    lines = text.split("\n")
    parts: list[str] = []
    paragraph: list[str] = []
    for line in lines:
        if line.strip():
            paragraph.append(line)
            continue
        parts += [*_joined(paragraph), line]
        paragraph = []
    parts += _joined(paragraph)
    return "\n".join(parts)


def _joined(lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    width = max(map(len, lines))
    found = [lines[0]]
    for before, line in pairwise(lines):
        if width >= _NARROWEST and _goes_on(before.rstrip(), line, width):
            found[-1] = f"{found[-1]} {line}"
        else:
            found.append(line)
    return found


def _goes_on(before: str, line: str, width: int) -> bool:
    """Whether a line continues the one before: nothing ended there, and its first word had no room in it or is in small
    letters."""
    first = _WORD.search(line)
    if first is None or _STOPPED.search(before) or _ITEM.match(line):
        return False
    if first.group()[0].islower() and len(before) > width // 2:
        return True
    return len(before) + 1 + len(first.group()) > _FULL * width
