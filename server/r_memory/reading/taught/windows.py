"""A text of any length as windows that the encoder can take: nothing is cut off, each piece is read once.

Sentences are packed together as long as they fit, because what is meant often stands in the sentence before; where a
window begins in the middle of a text, the end of what came before is shown again and not read again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from r_memory.reading.taught.pieces import Pieces

BODY = 80
"""Pieces that are read in one window; 99 % of the corpus' lines are shorter."""
CONTEXT = 32
"""Pieces before them that are shown again."""
QUESTION = 48
"""Pieces of the previous turn that are shown: its end, where it asks."""
_ENDS = frozenset(".!?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of pieces."""

    shown: int
    """First piece that the encoder sees."""
    first: int
    """First piece that is read."""
    last: int
    """The piece after the last."""


def windows(pieces: Pieces, text: str) -> tuple[Window, ...]:
    """Windows whose read stretches follow one another and cover every piece; none for a text without pieces."""
    packed: list[tuple[int, int]] = []
    for first, last in _short_enough(pieces, text):
        if packed and last - packed[-1][0] <= BODY:
            packed[-1] = (packed[-1][0], last)
        else:
            packed.append((first, last))
    return tuple(Window(shown=_shown(pieces, first), first=first, last=last) for first, last in packed)


def tail(pieces: Pieces) -> Pieces:
    """The end of a previous turn, beginning with a whole word where there is one."""
    if len(pieces) <= QUESTION:
        return pieces
    return pieces.part(_word_from(pieces, len(pieces) - QUESTION), len(pieces))


def _shown(pieces: Pieces, first: int) -> int:
    return 0 if first <= CONTEXT else min(_word_from(pieces, first - CONTEXT), first)


def _word_from(pieces: Pieces, index: int) -> int:
    """The first beginning of a word from here on; here itself if the rest is one word."""
    return next((at for at in range(index, len(pieces)) if pieces.begins_word(at)), index)


def _short_enough(pieces: Pieces, text: str) -> Iterator[tuple[int, int]]:
    """Sentences; those that are longer than a window in parts that end with a word."""
    for first, last in _sentences(pieces, text):
        while last - first > BODY:
            cut = first + BODY
            while cut > first + 1 and not pieces.begins_word(cut):
                cut -= 1
            if cut == first + 1:  # one word of more pieces than a window has
                cut = first + BODY
            yield first, cut
            first = cut  # noqa: PLW2901 - the rest of the sentence is what is left to cut
        yield first, last


def _sentences(pieces: Pieces, text: str) -> Iterator[tuple[int, int]]:
    first = 0
    for index in range(len(pieces)):
        after = pieces.starts[index + 1] if index + 1 < len(pieces) else len(text)
        between = text[pieces.ends[index] : after]
        ends = text[pieces.starts[index] : pieces.ends[index]] in _ENDS and between != ""
        if ends or "\n" in between or index + 1 == len(pieces):
            yield first, index + 1
            first = index + 1
