"""A text as the encoder's pieces of words, with where each stands, and as windows that the encoder can take.

Nothing of a text of any length is cut off, and each piece is read once. Sentences are packed together as long as they
fit, because what is meant often stands in the sentence before; where a window begins in the middle of a text, the end
of what came before is shown again and not read again. Knows no tokenizer and no runtime: `encoder.py` has both.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""One row for each piece."""
BODY = 80
"""Pieces that are read in one window; 99 % of the corpus' lines are shorter."""
CONTEXT = 32
"""Pieces before them that are shown again."""
QUESTION = 48
"""Pieces of the previous turn that are shown: its end, where it asks."""
_ENDS = frozenset(".!?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Pieces of one text, in order."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    """First character of each piece."""
    ends: tuple[int, ...]
    words: tuple[int, ...]
    """Number of the word that each piece belongs to; never falls."""

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, first: int, last: int, *, origin: int = 0) -> "Pieces":
        """Pieces from the first to before the last, with their places in the text from the character `origin` on."""
        return Pieces(
            ids=self.ids[first:last],
            starts=tuple(start - origin for start in self.starts[first:last]),
            ends=tuple(end - origin for end in self.ends[first:last]),
            words=tuple(word - self.words[first] for word in self.words[first:last]),
        )

    def begins_word(self, index: int) -> bool:
        """Whether a word begins at this piece."""
        return index == 0 or self.words[index] != self.words[index - 1]

    def whole_words(self) -> tuple[tuple[int, int], ...]:
        """First piece of each word, and the one after its last."""
        begins = [index for index in range(len(self)) if self.begins_word(index)]
        return tuple(pairwise((*begins, len(self))))

    def around(self, start: int, end: int) -> tuple[int, int] | None:
        """First piece, and the one after the last, of the whole words that share characters with the stretch."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first >= last:
            return None
        while not self.begins_word(first):
            first -= 1
        while last < len(self) and not self.begins_word(last):
            last += 1
        return first, last


class Encoder(Protocol):
    """Turns text into vectors that know their neighbours."""

    begin: int
    """The piece before everything."""
    stop: int
    """The piece after the question, and after the utterance."""

    def pieces(self, text: str) -> Pieces:
        """The whole text, never cut."""

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        """One row for each piece; the utterance begins at piece `second`, the question stands before it."""


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
            # One word may have more pieces than a window.
            cut = next((at for at in range(first + BODY, first + 1, -1) if pieces.begins_word(at)), first + BODY)
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
