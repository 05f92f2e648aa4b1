"""Words as CIM compares them: keywords with inclusion, and the overlap that it calls semantic.

The original form counts exactly as the published code does, with its oddities; the bounded form keeps every part
between 0 and 1 and knows that Chinese leaves no blanks (A-11). Pure.
"""

import math
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from r_memory.talk.stream.words import has_cjk, normalised, pieces_with_bigrams

Keywords = tuple[str, ...]
_LONGEST = 40
"""Characters of a word whose parts are worth listing; there are as many as its length squared."""
# The published code leaves out 15 English and 20 Chinese words. Which ones follows from its own examples:
# `which`, `the` and `is` are among them, `what` and `for` are not.
_STOP = frozenset(
    (
        *("the", "is", "at", "which", "on", "a", "an", "and", "or", "but", "in", "with", "to", "of", "as"),
        *("的", "了", "在", "是", "我", "有", "和", "就", "不", "人", "都", "一", "一個", "上", "也", "很", "到"),
        *("說", "要", "去"),
    )
)
_PUNCTUATION = string.punctuation + "，。！？；：、「」『』（）《》…—"  # noqa: RUF001 - full-width ones are meant


@lru_cache(maxsize=20_000)
def keywords(text: str, *, original: bool) -> Keywords:
    """Words that a text is compared by, in order of appearance; the bounded form names each once.

    >>> keywords("which database for billing", original=True)
    ('database', 'for', 'billing')
    """
    words = [word.strip(_PUNCTUATION) for word in text.lower().split()] if original else _pieces(text)
    kept = [word for word in words if (len(word) > 1 or not word.isascii()) and word not in _STOP]
    return tuple(kept if original else dict.fromkeys(kept))


@lru_cache(maxsize=20_000)
def tokens(text: str, *, original: bool) -> Keywords:
    """Words of a text with nothing left out; the original form keeps their punctuation."""
    return tuple(text.lower().split() if original else dict.fromkeys(_blanks(text)))


def keyword_overlap(asked: Sequence[str], record: Sequence[str], *, original: bool) -> float:
    """`m / (|Q| + |R| - m)`, m words of the question that contain or are contained in one of the record.

    In the original form several words may meet the same one, so that it exceeds 1; in the bounded form each meets
    one of its own.
    """
    if not asked or not record:
        return 0.0
    m = _met(asked, record) if original else _matched(asked, record)
    return m / (len(asked) + len(record) - m)


def overlap(asked: Sequence[str], record: Sequence[str]) -> float:
    """`c / sqrt(|q| |r|)`, c words of the question that the record has."""
    if not asked or not record:
        return 0.0
    known = _known(tuple(record)).places
    return sum(map(known.__contains__, asked)) / math.sqrt(len(asked) * len(record))


def _met(asked: Sequence[str], record: Sequence[str]) -> int:
    return sum(any(word in other or other in word for other in record) for word in asked)


def _matched(asked: Sequence[str], record: Sequence[str]) -> int:
    """Size of the largest one-to-one matching (augmenting paths)."""
    known = _known(tuple(record))
    near = [at for word, parts in _with_parts(tuple(asked)) if (at := known.place_near(word, parts)) is not None]
    if len(set(near)) == len(near):
        return len(near)
    places = [known.places_near(word) for word in asked]
    taken: dict[int, int] = {}
    return sum(_augmented(word, places, taken, set()) for word in range(len(places)))


@dataclass(frozen=True, slots=True)
class _Known:
    """A record's words, ready to be looked up."""

    words: Keywords
    joined: str
    places: Mapping[str, int]
    """Of each word the place where it first stands."""

    def place_near(self, word: str, parts: frozenset[str] | None) -> int | None:
        """The place of one word that contains this or that it contains, if there is any."""
        # Looked for as a whole, then in one text: comparing every pair of words took most of the time of a search.
        at = self.places.get(word)
        if at is None and (word in self.joined or parts is None or not parts.isdisjoint(self.places)):
            return next(iter(self.places_near(word)), None)
        return at

    def places_near(self, word: str) -> list[int]:
        """The places of all of them."""
        return [at for at, other in enumerate(self.words) if word in other or other in word]


@lru_cache(maxsize=20_000)
def _known(words: Keywords) -> _Known:
    return _Known(words, " ".join(words), {word: at for at, word in reversed([*enumerate(words)])})


@lru_cache(maxsize=100)
def _with_parts(words: Keywords) -> tuple[tuple[str, frozenset[str] | None], ...]:
    """Each word with everything that it contains; `None` for one that is too long to list that."""
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


def _pieces(text: str) -> list[str]:
    """Words without punctuation at their ends; runs without blanks as bigrams."""
    return [part for word in _blanks(text) if (part := word.strip(_PUNCTUATION))]


@lru_cache(maxsize=20_000)
def _blanks(text: str) -> tuple[str, ...]:
    plain = normalised(text)
    words = plain.split()
    if not has_cjk(plain):
        return tuple(words)
    return tuple(part for word in words for part in (pieces_with_bigrams(word) if has_cjk(word) else (word,)))
