"""A long text as passages of bounded length that end where a reader would pause; offsets are kept.

Pure functions over characters; who speaks is decided elsewhere.
"""

import re
from collections.abc import Iterator
from itertools import accumulate

from r_memory.domain.facts import Span
from r_memory.text.sentences import clauses, stretches

_LINES = (re.compile(r"\n\s*\n"), re.compile(r"\n"))
"""Best first: a paragraph, a line."""
_WORD = re.compile(r"\s")


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
    for ends in _pauses(window):
        # From a third on, so that passages do not become crumbs.
        if last := max((end for end in ends if size // 3 < end), default=0):
            return start + last
    return start + size


def _pauses(window: str) -> Iterator[Iterator[int]]:
    """Where it may be cut, best first: behind a paragraph, a line, a sentence, a part of one, a word."""
    yield from ((found.end() for found in line.finditer(window)) for line in _LINES)
    for parts in (stretches(window), clauses(window)):
        *whole, _ = accumulate(map(len, parts))
        yield iter(whole)
    yield (found.end() for found in _WORD.finditer(window))
