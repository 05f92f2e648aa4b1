"""A long text as passages of bounded length that end where a reader would pause; offsets are kept.

Pure functions over characters; who speaks is decided elsewhere.
"""

import re

from r_memory.domain.facts import Span

_PAUSES = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?][\"')\]]*\s"),
    re.compile(r"[;,]\s"),
    re.compile(r"\s"),
)
"""Best first: a paragraph, a line, a sentence, a part of one, a word."""


def passages(text: str, size: int) -> tuple[Span, ...]:
    """Stretches of at most `size` characters that cover the text in order, without a gap; none of blanks alone.

    >>> [text[span.start : span.end] for text in ["One two. Three four."] for span in passages(text, 12)]
    ['One two. ', 'Three four.']
    """
    found: list[Span] = []
    start = 0
    while start < len(text):
        end = _end(text, start, size)
        if text[start:end].strip():
            found.append(Span(start=start, end=end))
        start = end
    return tuple(found)


def _end(text: str, start: int, size: int) -> int:
    if len(text) - start <= size:
        return len(text)
    window = text[start : start + size]
    # From a third on, so that passages do not become crumbs.
    for pause in _PAUSES:
        ends = [found.end() for found in pause.finditer(window, size // 3)]
        if ends:
            return start + ends[-1]
    return start + size
