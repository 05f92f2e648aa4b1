"""Which items may answer a question: those that words, meaning, recency or importance bring forward.

Every profile scores the same candidates. Small scopes are candidates whole. Knows columns, not formulas of profiles.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from r_memory.domain.instants import Instant
from r_memory.domain.memories import MIDDLE, MemoryItem
from r_memory.protocols import Floats
from r_memory.talk.stream.columns import Mask, Rows, Whole
from r_memory.talk.stream.index import Scope, StreamIndex, oldest
from r_memory.talk.stream.lexical import Scores
from r_memory.talk.stream.scoring import HOUR, Candidate, Question
from r_memory.talk.stream.words import SearchQuery, pieces

_IMPORTANT = 10
"""The most important items, above the middle, are always among the candidates (the yogurt case of Mimir)."""
_ASKING = ("?", "\uff1f")
_LEFT = 0.995
"""SCM's recency after an hour: its sum of recency and relevance may prefer an item that leads in neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What a search has to score."""

    question: Question
    candidates: tuple[Candidate, ...]
    searched: int
    """Items in the scope."""
    unmeant: int
    """Those of them without a vector of the present embedder."""


def gathered(
    index: StreamIndex,
    asked: SearchQuery,
    vector: Floats | None,
    scope: Scope,
    *,
    text: str,
    now: Instant,
    limit: int,
    reads_text: bool,
) -> Gathered:
    """Candidates for a question: at most `limit` from each list, or the whole scope if `limit` is 0.

    `vector` is the question's, normalised; `None` leaves meaning out. `reads_text` gives each candidate its text.
    Where documents or other conversations were added to a scope they have lists of their own: a long one would fill
    those of a short talk.
    """
    names = lru_cache(lambda name: _names(text, name))
    mask = index.searched(scope)
    searched = np.flatnonzero(mask)
    lexical = index.lexical(asked, mask)
    cosines, meant = index.cosines(vector, mask) if vector is not None else (np.zeros(len(mask), np.float32), None)
    known = np.zeros(len(mask), dtype=np.bool_) if meant is None else meant & mask
    parts = [part for part in _parts(index, mask, scope) if part.any()]
    rows = np.concatenate(
        [
            _rows(index, np.flatnonzero(part), lexical * part, cosines, known & part, now=now, limit=limit)
            for part in parts
        ]
        or [searched]
    )
    return Gathered(
        question=Question(
            text=text,
            now=now,
            first=oldest(index.created()[parts[0]] if parts else index.created()[searched], otherwise=now),
            words=not asked.empty,
            meaning=bool(known.any()),
            cjk=asked.cjk,
            asked=tuple(dict.fromkeys(asked.terms)),
            rarity=index.rarity,
        ),
        candidates=tuple(
            _candidate(index.item(row), worded, cosine if is_known else None, reads_text, names)
            for row, worded, cosine, is_known in zip(
                rows.tolist(), lexical[rows].tolist(), cosines[rows].tolist(), known[rows].tolist(), strict=True
            )
        ),
        searched=len(searched),
        unmeant=int(np.count_nonzero(mask & ~known)),
    )


def _parts(index: StreamIndex, mask: Mask, scope: Scope) -> tuple[Mask, ...]:
    documents = index.documents() if scope.documents else np.zeros_like(mask)
    elsewhere = index.elsewhere(scope) if scope.elsewhere else np.zeros_like(mask)
    return mask & ~(documents | elsewhere), mask & documents, mask & elsewhere


def _rows(
    index: StreamIndex, searched: Rows, lexical: Scores, cosines: Floats, known: Mask, *, now: Instant, limit: int
) -> Rows:
    if not limit or len(searched) <= limit:
        return searched
    idle = np.maximum(0, now - index.accessed()[searched]).astype(np.float32)
    fresh = np.exp(idle * np.float32(math.log(_LEFT) / HOUR))
    near = cosines[searched]
    importance, seqs = index.importance()[searched], index.seqs()
    heavy = np.flatnonzero(importance > MIDDLE)
    worded, meant, weighty = np.flatnonzero(lexical > 0), np.flatnonzero(known), searched[heavy]
    lists = (
        _best(lexical[worded], worded, seqs, limit),
        _best(cosines[meant], meant, seqs, limit),
        _best(-idle, searched, seqs, limit),
        _best(fresh + np.maximum(near, 0), searched, seqs, limit),
        _best(importance[heavy].astype(np.float32), weighty, seqs, _IMPORTANT),
    )
    return np.unique(np.concatenate(lists))


def _best(values: npt.NDArray[np.floating], rows: Rows, seqs: Whole, limit: int) -> Rows:
    """Rows of the largest values, of equal ones the newest; one value for each row, `seqs` for every row there is."""
    if len(rows) <= limit:
        return rows
    least = np.partition(values, len(rows) - limit)[len(rows) - limit]
    above, level = np.flatnonzero(values > least), np.flatnonzero(values == least)
    newest = level[np.argsort(seqs[rows[level]])[len(above) - limit :]]
    return rows[np.concatenate((above, newest))]


def _names(text: str, name: str) -> bool:
    """Whether a text names somebody, as whole words."""
    return bool(name.strip()) and f" {_spaced(name)} " in f" {_spaced(text)} "


def _spaced(text: str) -> str:
    return " ".join(pieces(text))


def _candidate(
    item: MemoryItem,
    lexical: float,
    cosine: float | None,
    reads_text: bool,  # noqa: FBT001 - private
    names: Callable[[str], bool],
) -> Candidate:
    return Candidate(
        id=item.id,
        order=item.seq,
        said=item.messages if reads_text else (),
        named=names(item.speaker) or names(item.responder),
        asks=(item.response or item.observation).rstrip().endswith(_ASKING),
        importance=item.importance,
        created_at=item.created_at,
        accessed_at=item.accessed_at,
        lexical=lexical,
        cosine=cosine,
    )
