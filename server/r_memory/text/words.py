"""Words and phrases of a text, as all readers share them.

Knows how words are compared, not what they mean; `cutting.py` knows how they are cut. Offsets are those of the given
text, and nothing of it is kept.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from r_memory.text.cutting import pieces

_SHORT_FORMS = {
    "n't": "not",
    "nt": "not",
    "'m": "am",
    "'re": "are",
    "'ve": "have",
    "'ll": "will",
    "w/": "with",
    "w/o": "without",
}
_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word or a mark."""

    word: str
    """In small letters, short forms written out: `n't` is `not`."""
    start: int
    end: int
    capital: bool
    """Begins with a capital as written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A phrase, found at tokens `first` to `last` (excluded)."""

    key: str
    first: int
    last: int


class Tokeniser:
    """Cuts text into tokens and finds phrases in it; safe to share between threads."""

    def __init__(self, phrases: Mapping[str, Iterable[str]], exact: Mapping[str, Iterable[str]]) -> None:
        """`phrases` are found in any capitals, `exact` only as written; both map a key to its phrases."""
        self._lower = _Phrases((key, text.lower()) for key, texts in phrases.items() for text in texts)
        self._exact = _Phrases((key, text) for key, texts in exact.items() for text in texts)

    def read(self, text: str) -> tuple[tuple[Token, ...], tuple[Hit, ...]]:
        """Tokens without spaces (a line break is one), and every phrase found, in any order and overlapping."""
        cut = tuple(pieces(text))
        written = [piece for piece, _ in cut]
        hits = (*self._lower.found([piece.lower() for piece in written]), *self._exact.found(written))
        return _tokens(cut), hits

    def words(self, text: str) -> tuple[str, ...]:
        """The words of a short text of our own, such as a cue."""
        return tuple(token.word for token in _tokens(tuple(pieces(text))))


class _Phrases:
    """Phrases by their words."""

    def __init__(self, phrases: Iterable[tuple[str, str]]) -> None:
        self._keys: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        self._lengths: dict[str, set[int]] = defaultdict(set)
        for key, text in phrases:
            if words := tuple(piece for piece, _ in pieces(text)):
                self._keys[words][key] = None
                self._lengths[words[0]].add(len(words))

    def found(self, words: Sequence[str]) -> Iterator[Hit]:
        for first, word in enumerate(words):
            left = len(words) - first
            for length in (length for length in self._lengths.get(word, ()) if length <= left):
                for key in self._keys.get(tuple(words[first : first + length]), ()):
                    yield Hit(key=key, first=first, last=first + length)


def _tokens(cut: Sequence[tuple[str, int]]) -> tuple[Token, ...]:
    words = [_word(text) for text, _ in cut]
    for index, word in enumerate(words[:-1]):
        following = words[index + 1]
        if following == "not" and word in _BEFORE_NOT:
            words[index] = _BEFORE_NOT[word]
        elif word == "i" and following == "m":
            words[index + 1] = "am"
    return tuple(
        Token(word=word, start=start, end=start + len(text), capital=text[:1].isupper())
        for word, (text, start) in zip(words, cut, strict=True)
    )


def _word(text: str) -> str:
    if "\n" in text:
        return "\n\n" if re.search(r"\n[^\S\n]*\n", text) else "\n"
    lower = text.lower()
    return _SHORT_FORMS.get(lower, lower)
