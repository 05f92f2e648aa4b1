"""What the scorings of the product are compared with: their variants, and baselines that look at one thing alone.

Formulas and their sources: docs/reference/stream.md. `CimVariant` also counts as CIM's published code does, with its
oddities: keyword overlap may exceed 1, and Chinese is one word (A-10, A-11, A-12).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean, pstdev
from typing import Literal

from typing_extensions import override

from r_memory.domain.memories import Scored
from r_memory_lab.cim_words import PUNCTUATION, Keywords, kept, keyword_overlap, keywords, overlap, tokens
from r_memory_talk.stream.scoring import (
    HOUR,
    SCORINGS,
    Cim,
    Mimir,
    Scm,
    Scoring,
    StreamCandidate,
    StreamQuestion,
    cim_time,
    clamped_cosine,
    ranked,
    weighed,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CimVariant(Scoring):
    """CIM with the prototype's words, with vectors in place of words, or with another threshold."""

    form: Literal["bounded", "original"] = "bounded"
    """`original` counts as the published code does, `bounded` as it intends to (A-11)."""
    semantic: Literal["words", "vectors"] = "words"
    """`words` is the overlap that CIM calls semantic; `vectors` is `cim+` (A-10)."""
    spread: float = 0.0
    """0 keeps the threshold fixed. 2 also requires two standard deviations above the mean of the best `among`, so that
    the threshold adapts to the conversation (its author's plan, T-6)."""
    among: int = 60
    backfill: bool = False
    """Fills up with the oldest, regardless of score, as the published code does (A-12)."""
    base: Cim = field(default_factory=Cim)

    @override
    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        return ranked([self._scored(question, candidate) for candidate in candidates], candidates)

    def least(self, ranked: Sequence[Scored]) -> float:
        """Returns the least score of a used item; `ranked` are all scored items, best first."""
        if not self.spread or not ranked:
            return self.base.threshold
        scores = [item.score for item in ranked[: self.among]]
        return max(self.base.threshold, fmean(scores) + self.spread * pstdev(scores))

    @override
    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """Returns the used items, as `Scoring.choose`; those below the threshold only with `backfill`."""
        most, least = min(k, self.base.most), self.least(ranked)
        passed = [item for item in ranked if item.score >= least][:most]
        if self.backfill:
            rest = sorted((item for item in ranked if item not in passed), key=lambda one: one.components["order"])
            passed += rest[: most - len(passed)]
        return tuple(passed)

    def _scored(self, question: StreamQuestion, one: StreamCandidate) -> Scored:
        overlaps = [self._overlaps(question.text, message) for message in one.said] or [(0.0, 0.0)]
        if self.semantic == "vectors":
            overlaps = [(keyword, clamped_cosine(one.cosine)) for keyword, _ in overlaps]
        keyword, near = max(overlaps, key=sum)
        time = cim_time((question.now - one.created_at) / HOUR)
        return weighed(one, keyword=keyword, semantic=near, time=time, weights=self.base.weights)

    def _overlaps(self, asked: str, said: str) -> tuple[float, float]:
        if self.form == "original":
            keyword = original_overlap(original_keywords(asked), original_keywords(said))
            return keyword, overlap(original_tokens(asked), original_tokens(said))
        return keyword_overlap(keywords(asked), keywords(said)), overlap(tokens(asked), tokens(said))


@lru_cache(maxsize=20_000)
def original_keywords(text: str) -> Keywords:
    """Returns the words that the published code compares, with repetitions.

    >>> original_keywords("which database for billing")
    ('database', 'for', 'billing')
    """
    return tuple(kept(word.strip(PUNCTUATION) for word in text.lower().split()))


def original_tokens(text: str) -> Keywords:
    """Returns all words of a text, with their punctuation."""
    return tuple(text.lower().split())


def original_overlap(asked: Sequence[str], record: Sequence[str]) -> float:
    """Returns `m / (|Q| + |R| - m)`; several question words may match the same word, so it can exceed 1."""
    if not asked or not record:
        return 0.0
    m = sum(any(word in other or other in word for other in record) for word in asked)
    return m / (len(asked) + len(record) - m)


@dataclass(frozen=True, slots=True, kw_only=True)
class Single(Scoring):
    """One component alone: retrieval by meaning, or by words."""

    by: Literal["cosine", "lexical"] = "cosine"
    most: int = 0
    """Most results in any case; 0: no limit. RAG's usual value is 5."""

    @override
    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        del question  # every scoring is given one
        found = []
        for candidate in candidates:
            value = clamped_cosine(candidate.cosine) if self.by == "cosine" else candidate.lexical
            found.append(Scored(id=candidate.id, score=value, components={self.by: value}))
        return ranked(found, candidates)

    @override
    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        return tuple(ranked[: min(k, self.most) if self.most else k])


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest(Scoring):
    """The newest turns, without a search."""

    @override
    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        del question  # every scoring is given one
        orders = ((candidate, float(candidate.order)) for candidate in candidates)
        return ranked([Scored(id=order.id, score=at, components={"order": at}) for order, at in orders], candidates)


COMPARED: Mapping[str, Scoring] = {
    **SCORINGS,
    "scm_paper": Scm(among=1_000_000, apart=math.inf),
    "cim_words": CimVariant(),
    "cim_original": CimVariant(form="original"),
    "cim_plus": CimVariant(semantic="vectors"),
    "cim_dynamic": CimVariant(spread=2.0),
    "naive": Single(),
    "rag": Single(most=5),
    "words": Single(by="lexical"),
    "no_recency": Mimir(max_penalty=0.0),
    "last_window": Newest(),
}
"""The systems, their variants and the baselines, by name."""
