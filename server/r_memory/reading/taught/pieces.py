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
"""Most pieces read in one window; 99 % of the corpus' lines are shorter."""
CONTEXT = 32
"""Pieces before a window's body that are shown again."""
QUESTION = 48
"""Pieces of the previous turn that are shown, from its end."""
_ENDS = frozenset(".!?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pieces:
    """Pieces of one text, in order."""

    ids: tuple[int, ...]
    starts: tuple[int, ...]
    """Offset of each piece's first character."""
    ends: tuple[int, ...]
    words: tuple[int, ...]
    """Index of each piece's word; it never decreases."""

    def __len__(self) -> int:
        return len(self.ids)

    def part(self, first: int, last: int) -> "Pieces":
        """Returns pieces `first` to `last` (excluded)."""
        return Pieces(
            ids=self.ids[first:last],
            starts=self.starts[first:last],
            ends=self.ends[first:last],
            words=self.words[first:last],
        )

    def begins_word(self, index: int) -> bool:
        """Whether a word begins at this piece."""
        return index == 0 or self.words[index] != self.words[index - 1]

    def whole_words(self) -> tuple[tuple[int, int], ...]:
        """Returns the first piece of each word, and the index behind its last."""
        begins = [index for index in range(len(self)) if self.begins_word(index)]
        return tuple(pairwise((*begins, len(self))))

    def around(self, start: int, end: int) -> tuple[int, int] | None:
        """Returns the first piece and the index behind the last of all words that overlap the stretch.

        `None` if no word overlaps it.
        """
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first >= last:
            return None
        while not self.begins_word(first):
            first -= 1
        while last < len(self) and not self.begins_word(last):
            last += 1
        return first, last


class Encoder(Protocol):
    """Turns text into context-dependent vectors."""

    begin: int
    """The piece at the start."""
    stop: int
    """The piece after the question, and after the utterance."""

    def pieces(self, text: str) -> Pieces:
        """Returns the pieces of the whole text; nothing is cut off."""

    def vectors(self, ids: tuple[int, ...], second: int) -> Vectors:
        """Returns one row for each piece.

        The utterance begins at piece `second`; the question stands before it.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of pieces."""

    shown: int
    """First piece that the encoder gets."""
    first: int
    """First piece that is read."""
    last: int
    """Index behind the last piece."""


def windows(pieces: Pieces, text: str) -> tuple[Window, ...]:
    """Returns windows whose bodies cover every piece in order; empty for a text without pieces."""
    packed: list[tuple[int, int]] = []
    for first, last in _short_enough(pieces, text):
        if packed and last - packed[-1][0] <= BODY:
            packed[-1] = (packed[-1][0], last)
        else:
            packed.append((first, last))
    return tuple(Window(shown=_shown(pieces, first), first=first, last=last) for first, last in packed)


def tail(pieces: Pieces) -> Pieces:
    """Returns the end of a previous turn; it begins with a whole word if it can."""
    if len(pieces) <= QUESTION:
        return pieces
    return pieces.part(_word_from(pieces, len(pieces) - QUESTION), len(pieces))


def _shown(pieces: Pieces, first: int) -> int:
    return 0 if first <= CONTEXT else min(_word_from(pieces, first - CONTEXT), first)


def _word_from(pieces: Pieces, index: int) -> int:
    """Returns the first beginning of a word from here on; `index` if the rest is one word."""
    return next((at for at in range(index, len(pieces)) if pieces.begins_word(at)), index)


def _short_enough(pieces: Pieces, text: str) -> Iterator[tuple[int, int]]:
    """Yields sentences; those longer than a window in parts that end with a word."""
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
