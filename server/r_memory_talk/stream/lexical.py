"""Word search over the stream: BM25 with fields, added to item by item, for many conversations at once.

A term counts in what an item says and, weighted less, in the items after and before it: a question is part of what its
answer means, and a reply names what it replies to. Frequencies are divided by the length of their field before they are
summed (BM25F, Robertson, Zaragoza and Taylor 2004); rarity is counted within the conversations that are searched.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz, process

from r_memory_talk.stream.words import SearchQuery, Term

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float32]
Beside = tuple[Rows, Rows]
"""For each row, the rows of the next and the previous turn of its conversation, or -1."""
_Norm = Callable[[Rows], Scores]
_K1, _B = np.float32(0.6), np.float32(0.4)
"""BM25 parameters: saturation of repeated terms, and length normalisation."""
_BEFORE, _AFTER = 0.7, 0.2
"""Weight of a word in the turn after it, and in the turn before it."""
_FIELDS = 2
"""Fields of a turn: what was said, what was answered."""
_SHORTEST_MISSPELT = 5
_NEAR = 88.0
"""Similarity (rapidfuzz ratio) from which an unknown word counts as a known one: one edit in five letters or more."""


class _Posting:
    """The rows that hold a term, with its frequency in each field."""

    __slots__ = ("counts", "rows")

    def __init__(self) -> None:
        self.rows = array("q")
        self.counts = array("f")
        """Those of a row's fields one after the other."""

    def columns(self) -> tuple[Rows, Scores]:
        """Returns the rows, and the frequency in each field."""
        # Copies: a view would keep the arrays from growing for as long as anybody holds it.
        rows = np.frombuffer(self.rows, dtype=np.int64).copy()
        return rows, np.frombuffer(self.counts, dtype=np.float32).reshape(-1, _FIELDS).T.copy()


class LexicalIndex:
    """An inverted index. Rows are added once, in any order, and never removed; a search masks the living ones."""

    def __init__(self) -> None:
        self._postings: dict[Term, _Posting] = {}
        self._starts: dict[str, list[Term]] = defaultdict(list)
        self._lengths = [array("f") for _ in range(_FIELDS)]
        self._holding: Counter[Term] = Counter()
        """Term to how many rows that were not dropped hold it."""
        self._living = 0

    def add(self, row: int, fields: Sequence[Sequence[Term]]) -> None:
        """Indexes the fields of a row; `row` is the next free number."""
        counts: dict[Term, list[int]] = {}
        for place, field in enumerate(fields):
            self._lengths[place].append(len(field))
            for term in field:
                counts.setdefault(term, [0] * _FIELDS)[place] += 1
        self._living += 1
        self._holding.update(counts.keys())
        for term, numbers in counts.items():
            posting = self._postings.get(term)
            if posting is None:
                posting = self._postings[term] = _Posting()
                self._starts[term[0]].append(term)
            posting.rows.append(row)
            posting.counts.extend(numbers)

    def drop(self, fields: Sequence[Sequence[Term]]) -> None:
        """Removes a row with these fields from the document frequencies."""
        self._living -= 1
        self._holding.subtract(set(chain.from_iterable(fields)))

    def scores(
        self, asked: SearchQuery, *, mask: Mask, beside: Beside, places: Rows | Sequence[int] = ()
    ) -> tuple[Scores, float]:
        """Returns the BM25 of every row, and that of a text of mean length with each word once.

        Never negative; 0 outside of the mask. `places` are rows that the question names by number.
        """
        total, whole = np.zeros(len(mask), dtype=np.float32), 0.0
        n = int(np.count_nonzero(mask))
        if not n:
            return total, whole
        norms = [_norm(lengths, mask, n) for lengths in self._lengths]
        for alternatives, times in Counter(asked.terms).items():
            rows, counts = self._frequencies(alternatives, mask, beside, norms)
            weight = times * _rarity(len(rows), n)
            whole += weight
            total[rows] += np.float32(weight) * counts * (_K1 + 1) / (counts + _K1)
        if len(places):
            # They hold a term that no other holds.
            whole += _rarity(1, n)
            total[places] += np.float32(_rarity(1, n)) * mask[places]
        return total, whole

    def rarity(self, term: Term) -> float:
        """Returns the inverse document frequency of a term among the rows not dropped; never negative."""
        return math.log(1 + self._living / (1 + self._holding[term]))

    def most_held(self, weights: Mapping[tuple[Term, ...], float], mask: Mask) -> float:
        """Returns the largest weight of a question's words in one masked row."""
        held = np.zeros(len(mask), dtype=np.float32)
        for alternatives, weight in weights.items():
            there = np.zeros(len(mask), dtype=np.bool_)
            for term in alternatives:
                if (posting := self._postings.get(term)) is not None:
                    there[posting.columns()[0]] = True
            held += np.float32(weight) * there
        return float(held[mask].max(initial=0.0))

    def _frequencies(
        self, alternatives: Sequence[Term], mask: Mask, beside: Beside, norms: Sequence[_Norm | None]
    ) -> tuple[Rows, Scores]:
        """Returns the rows that hold a word, or are next to one, with the weighted frequency in each."""
        known = [self._postings[term].columns() for term in alternatives if term in self._postings]
        if not any(mask[rows].any() for rows, _ in known):
            meant = self._nearest(alternatives[0], mask)
            known = [self._postings[meant].columns()] if meant is not None else []
        found = np.zeros(len(mask), dtype=np.float32)
        touched = np.zeros(len(mask), dtype=np.bool_)
        for rows, counts in known:
            kept = mask[rows]
            searched = rows[kept]
            touched[searched] = True
            for count, norm in zip(counts, norms, strict=True):
                if norm is not None:
                    found[searched] += count[kept] * norm(searched)
        return _with_neighbours(found, touched, mask, beside)

    def _nearest(self, term: Term, mask: Mask) -> Term | None:
        """Returns the known term that a word misspells; the first letter must be the same. `None` if none is near."""
        if len(term) < _SHORTEST_MISSPELT or not term.isalpha():
            return None
        near = process.extract(term, self._starts.get(term[0], ()), scorer=fuzz.ratio, score_cutoff=_NEAR, limit=5)
        for known, *_ in near:
            if mask[self._postings[known].columns()[0]].any():
                return known
        return None


def _with_neighbours(found: Scores, touched: Mask, mask: Mask, beside: Beside) -> tuple[Rows, Scores]:
    """Returns the frequencies with a part of those of the turns before and after."""
    rows = np.flatnonzero(touched)
    own, whole = found[rows], found.copy()
    for column, share in zip(beside, (_BEFORE, _AFTER), strict=True):
        places = column[rows]
        known = np.flatnonzero((places >= 0) & mask[places])
        places = places[known]
        touched[places] = True
        whole[places] += np.float32(share) * own[known]
    rows = np.flatnonzero(touched)
    return rows, whole[rows]


def _norm(lengths: "array[float]", mask: Mask, n: int) -> _Norm | None:
    """Returns the weight of one occurrence in each masked row's field; `None` if no row has the field."""
    column = np.frombuffer(lengths, dtype=np.float32)
    total = float(np.add.reduce(column[: len(mask)], where=mask, dtype=np.float64))
    if not total:
        return None
    slope, least = _B * np.float32(n / total), 1 - _B

    def weights(rows: Rows) -> Scores:
        found = column[rows]
        found *= slope
        found += least
        return np.reciprocal(np.maximum(found, np.float32(1e-6)))

    return weights


def _rarity(holding: int, n: int) -> float:
    """Returns the inverse document frequency in Lucene's form, which is never negative."""
    return math.log(1 + (n - holding + 0.5) / (holding + 0.5))
