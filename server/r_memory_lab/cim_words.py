"""Words as CIM compares them: keywords with inclusion, and the overlap that it calls semantic.

Every part is kept between 0 and 1, and Chinese, which leaves no blanks, is cut into pairs of characters (A-11): the
published code does neither (see `r_memory_lab.scorings`). Pure.
"""

import math
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from r_memory_talk.stream.words import has_cjk, normalised, pieces, terms

Keywords = tuple[str, ...]
_LONGEST = 40
"""Most characters of a word whose substrings are listed; their number is quadratic."""
# The published code leaves out 15 English and 20 Chinese words. Which ones follows from its own examples:
# `which`, `the` and `is` are among them, `what` and `for` are not.
_STOP = frozenset(
    (
        *("the", "is", "at", "which", "on", "a", "an", "and", "or", "but", "in", "with", "to", "of", "as"),
        *("的", "了", "在", "是", "我", "有", "和", "就", "不", "人", "都", "一", "一個", "上", "也", "很", "到"),
        *("說", "要", "去"),
    )
)
PUNCTUATION = string.punctuation + "，。！？；：、「」『』（）《》…—"  # noqa: RUF001 - full-width ones are meant


@lru_cache(maxsize=20_000)
def keywords(text: str) -> Keywords:
    """Returns the words by which a text is compared, in order, each once.

    >>> keywords("which database for billing")
    ('database', 'for', 'billing')
    """
    return tuple(dict.fromkeys(kept(part for word in tokens(text) if (part := word.strip(PUNCTUATION)))))


def kept(words: Iterable[str]) -> Iterator[str]:
    """Yields the words that are no function words."""
    return (word for word in words if (len(word) > 1 or not word.isascii()) and word not in _STOP)


@lru_cache(maxsize=20_000)
def tokens(text: str) -> Keywords:
    """Returns all words of a text, each once; runs without spaces as pairs of characters."""
    plain = normalised(text)
    words = plain.split()
    if has_cjk(plain):
        words = [part for word in words for part in (_pairs(word) if has_cjk(word) else (word,))]
    return tuple(dict.fromkeys(words))


def _pairs(text: str) -> list[str]:
    """Returns the words, and runs without spaces as pairs of characters."""
    return [part for piece in pieces(text) for part in (terms(piece) if has_cjk(piece) else (piece,))]


def keyword_overlap(asked: Sequence[str], record: Sequence[str]) -> float:
    """Returns `m / (|Q| + |R| - m)`.

    `m` is the number of question words that contain, or are contained in, a word of the record, matched one to one.
    """
    if not asked or not record:
        return 0.0
    m = _matched(asked, record)
    return m / (len(asked) + len(record) - m)


def overlap(asked: Sequence[str], record: Sequence[str]) -> float:
    """Returns `c / sqrt(|q| |r|)`, with `c` question words in the record."""
    if not asked or not record:
        return 0.0
    known = _known(tuple(record)).places
    return sum(map(known.__contains__, asked)) / math.sqrt(len(asked) * len(record))


def _matched(asked: Sequence[str], record: Sequence[str]) -> int:
    """Returns the size of the largest one-to-one matching (augmenting paths)."""
    known = _known(tuple(record))
    near = [at for word, parts in _with_parts(tuple(asked)) if (at := known.place_near(word, parts)) is not None]
    if len(set(near)) == len(near):
        return len(near)
    places = [known.places_near(word) for word in asked]
    taken: dict[int, int] = {}
    return sum(_augmented(word, places, taken, set()) for word in range(len(places)))


@dataclass(frozen=True, slots=True)
class _KnownWords:
    """A record's words, indexed for look-up."""

    words: Keywords
    joined: str
    places: Mapping[str, int]
    """Word to its first place."""

    def place_near(self, word: str, parts: frozenset[str] | None) -> int | None:
        """Returns the place of a word that contains this word, or that it contains; `None` if there is none."""
        # Looked for as a whole, then in one text: comparing every pair of words took most of the time of a search.
        at = self.places.get(word)
        if at is None and (word in self.joined or parts is None or not parts.isdisjoint(self.places)):
            return next(iter(self.places_near(word)), None)
        return at

    def places_near(self, word: str) -> list[int]:
        """Returns all places of that kind."""
        return [at for at, other in enumerate(self.words) if word in other or other in word]


@lru_cache(maxsize=20_000)
def _known(words: Keywords) -> _KnownWords:
    return _KnownWords(words, " ".join(words), {word: at for at, word in reversed([*enumerate(words)])})


@lru_cache(maxsize=100)
def _with_parts(words: Keywords) -> tuple[tuple[str, frozenset[str] | None], ...]:
    """Returns each word with its substrings; `None` in place of them for a long word."""
    return tuple((word, _parts(word) if len(word) <= _LONGEST else None) for word in words)


def _parts(word: str) -> frozenset[str]:
    return frozenset(word[at:end] for at in range(len(word)) for end in range(at + 1, len(word) + 1))


def _augmented(word: int, near: Sequence[Sequence[int]], taken: dict[int, int], seen: set[int]) -> bool:
    for at in near[word]:
        if at in seen:
            continue
        seen.add(at)
        if at not in taken or _augmented(taken[at], near, taken, seen):
            taken[at] = word
            return True
    return False
