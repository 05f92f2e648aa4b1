"""A text as the encoder's pieces of words, with where each stands; and what turns pieces into vectors.

Knows no tokenizer and no runtime: `encoder.py` has both.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""One row for each piece."""


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
