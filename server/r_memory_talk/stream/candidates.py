"""Which items may answer a question: those that words, meaning, recency or importance bring forward.

Every profile scores the same candidates. Small scopes are candidates whole. Knows columns, not formulas of profiles.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from r_memory.domain.instants import Instant, month_of
from r_memory.domain.memories import MIDDLE, MemoryItem, Tier
from r_memory.protocols import Floats
from r_memory_talk.stream.index import IndexColumns, Scope, StreamIndex
from r_memory_talk.stream.lexical import Mask, Rows
from r_memory_talk.stream.scoring import HOUR, StreamCandidate, StreamQuestion
from r_memory_talk.stream.words import SearchQuery, months, pieces

CANDIDATES = 50
"""Candidates from each list: words, meaning, recency (A-4)."""
_IMPORTANT = 10
"""The most important items, above the middle, that are always candidates (Mimir's yogurt case)."""
_LEADING = 10
"""Items with the best words and meaning together, whose neighbours become candidates."""
_STEP = 16
"""Sampling step of rows for a bound on the leading items."""
_ASKING = ("?", "\uff1f")
_LEFT = 0.995
"""SCM's recency after an hour; with it, an item that leads in neither list may have the largest sum."""


def candidate_pool(
    index: StreamIndex,
    asked: SearchQuery,
    vector: Floats | None,
    scope: Scope,
    *,
    text: str,
    now: Instant,
) -> tuple[StreamQuestion, tuple[StreamCandidate, ...]]:
    """Returns a question with at most `CANDIDATES` from each list; `vector` is the question's, at length 1.

    Documents and other conversations have their own lists, as a long one would displace a short talk.
    """
    columns, mask = index.columns, index.searched(scope)
    lexical, whole = index.lexical(asked, mask)
    cosines, known = index.cosines(vector, mask)
    parts = _parts(index, scope, mask)
    rows = np.concatenate(
        [_foremost(columns, part, lexical, cosines, known, now=now) for part in parts] or [np.zeros(0, np.int64)]
    )
    # A neighbour may be one that is left out.
    rows = rows[mask[rows]]
    question = StreamQuestion(
        text=text,
        now=now,
        first=int(columns.created[parts[0]].min()) if parts else now,
        words=not asked.empty,
        whole=whole,
        meaning=bool(known.any()),
        cjk=asked.cjk,
        asked=tuple(dict.fromkeys(asked.terms)),
        rarity=index.rarity,
    )
    as_candidate = _reading_of(text)
    return question, tuple(
        as_candidate(index.item(row), float(lexical[row]), float(cosines[row]) if known[row] else None, place)
        for row, place in zip(rows.tolist(), index.places(rows).tolist(), strict=True)
    )


def _reading_of(text: str) -> Callable[[MemoryItem, float, float | None, int], StreamCandidate]:
    """Returns a function that makes a candidate of an item.

    Names and months of the question are looked up once.
    """
    names = lru_cache(lambda name: _names(text, name))
    named_months = months(text)

    def candidate(item: MemoryItem, words: float, cosine: float | None, place: int, /) -> StreamCandidate:
        return StreamCandidate(
            id=item.id,
            order=item.seq,
            place=place if item.tier is Tier.TURN else 0,
            dated=bool(named_months) and month_of(item.created_at) in named_months,
            said=item.messages,
            named=names(item.speaker) or names(item.responder),
            asks=(item.response or item.observation).rstrip().endswith(_ASKING),
            importance=item.importance,
            created_at=item.created_at,
            accessed_at=item.accessed_at,
            lexical=words,
            cosine=cosine,
        )

    return candidate


def _parts(index: StreamIndex, scope: Scope, mask: Mask) -> list[Rows]:
    """Returns the rows of the talk, of documents, and of other conversations, without empty ones."""
    documents = mask & index.columns.document if scope.documents else np.zeros_like(mask)
    elsewhere = mask & index.elsewhere(scope) if scope.elsewhere else np.zeros_like(mask)
    parts = (mask & ~(documents | elsewhere), documents, elsewhere)
    return [rows for part in parts if len(rows := np.flatnonzero(part))]


def _foremost(
    columns: IndexColumns, searched: Rows, lexical: Floats, cosines: Floats, known: Mask, *, now: Instant
) -> Rows:
    """Returns the rows that lead in words, meaning, recency, SCM's sum or importance, and their neighbours."""
    limit = CANDIDATES
    if len(searched) <= limit:
        return searched
    idle = np.maximum(0, now - columns.accessed[searched]).astype(np.float32)
    fresh = np.exp(idle * np.float32(math.log(_LEFT) / HOUR))
    worded, meant = searched[lexical[searched] > 0], searched[known[searched]]
    heavy = searched[columns.importance[searched] > MIDDLE]
    seqs = columns.seq
    both = np.concatenate((_best(lexical[worded], worded, seqs, limit), _best(cosines[meant], meant, seqs, limit)))
    together = lexical[both] / (lexical[both].max(initial=0) or 1) + cosines[both]
    lists = (
        both,
        *_around(columns, _best(together, both, seqs, _LEADING)),
        _best(-idle, searched, seqs, limit),
        _best(fresh + np.maximum(cosines[searched], 0), searched, seqs, limit),
        _best(columns.importance[heavy].astype(np.float32), heavy, seqs, _IMPORTANT),
    )
    return np.unique(np.concatenate(lists))


def _around(columns: IndexColumns, rows: Rows) -> Iterator[Rows]:
    """Yields the rows one and two turns after and before these."""
    for column in (columns.following, columns.preceding):
        near = rows
        for _ in range(2):
            near = column[near]
            near = near[near >= 0]
            yield near


def _best(values: npt.NDArray[np.floating], rows: Rows, seqs: Rows, limit: int) -> Rows:
    """Returns the rows with the largest values, ties to the newest; `values` has one value for each of `rows`."""
    if len(rows) <= limit:
        return rows
    if len(rows) > _STEP * _STEP * limit:
        # Looking for the leading ones among all took a fifth of a search at 100,000 items. Those of every so many give
        # a bound below which none of them lies.
        few = values[::_STEP]
        near = np.flatnonzero(values >= np.partition(few, len(few) - limit)[len(few) - limit])
        values, rows = values[near], rows[near]
    least = np.partition(values, len(rows) - limit)[len(rows) - limit]
    above, level = np.flatnonzero(values > least), np.flatnonzero(values == least)
    newest = level[np.argsort(seqs[rows[level]])[len(above) - limit :]]
    return rows[np.concatenate((above, newest))]


def _names(text: str, name: str) -> bool:
    """Whether the text contains a name as whole words."""
    return bool(name.strip()) and f" {' '.join(pieces(name))} " in f" {' '.join(pieces(text))} "
