"""How candidates are scored: one profile for each published system, and our own.

Every profile is a pure function of a question and the same candidates, and says what each score was made of.
Formulas and their sources: docs/reference/stream.md. Knows no index, store or model.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import ClassVar, Literal, Protocol

from r_memory.domain.instants import Instant
from r_memory.domain.memories import LEAST, MOST, Scored
from r_memory.talk.stream.cim_words import Keywords, keyword_overlap, keywords, overlap, tokens

HOUR = 3_600_000
DAY = 24 * HOUR
Curve = Literal["decay", "bell", "complement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An item that may answer, with everything that a formula asks of it."""

    id: str
    order: int
    """Newer items have larger ones, whatever the clocks said."""
    text: str = ""
    """What was said, for profiles that look at words themselves."""
    importance: int = LEAST
    created_at: Instant
    accessed_at: Instant
    turns_ago: int = 0
    lexical: float = 0.0
    """Raw BM25; 0 for a candidate that word search did not find (A-4)."""
    cosine: float | None = None
    """`None` without a vector of the present embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and when."""

    text: str
    now: Instant
    first: Instant
    """When the searched conversation began."""
    words: bool = True
    """Something of the question can be looked up by its words."""
    meaning: bool = True
    """It has a vector."""
    cjk: bool = False
    """It is mostly written in Chinese, Japanese or Korean."""


class Scoring(Protocol):
    """One way to score."""

    reads_text: ClassVar[bool]
    """Candidates need their text."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """Every candidate, best first; ties go to the newer, then to the lower id."""

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """Those that are used: at most `k`."""


# --- SCM -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Scm:
    """`rank_score = recency + relevance` (Self-Controlled Memory, section 3.3)."""

    reads_text: ClassVar[bool] = False

    recency: bool = True
    """Without, it is the published code: pure cosine."""
    decay: float = 0.995
    """Recency that is left after one unit without access (A-1)."""
    unit: Literal["hours", "turns"] = "hours"
    normalise: Literal["none", "minmax"] = "minmax"
    """`none` adds as the paper does; cosines sit in a narrow band, and recency then decides (A-1)."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        relevance = [clamped_cosine(one.cosine) for one in candidates]
        recency = [self._recency(question, one) for one in candidates]
        if self.normalise == "minmax":
            relevance, recency = minmax(relevance), minmax(recency)
        found = [
            Scored(id=one.id, score=fresh + near, components={"recency": fresh, "relevance": near})
            for one, fresh, near in zip(candidates, recency, relevance, strict=True)
        ]
        return ranked(found, candidates)

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        return tuple(ranked[:k])

    def _recency(self, question: Question, one: Candidate) -> float:
        if not self.recency:
            return 0.0
        idle = one.turns_ago if self.unit == "turns" else max(0, question.now - one.accessed_at) / HOUR
        return recency(idle, decay=self.decay)


def recency(units: float, *, decay: float = 0.995) -> float:
    """What is left of an item's freshness after so many hours (or turns) without access; the future counts as now.

    >>> [round(recency(hours), 3) for hours in (0, 1, 24, 72, 168, 720)]
    [1.0, 0.995, 0.887, 0.697, 0.431, 0.027]
    """
    return math.pow(decay, max(0.0, units))


# --- CIM -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cim:
    """`0.4 keyword + 0.4 semantic + 0.2 time`, from 0.3 upwards, at most 5 (CIM prototype)."""

    reads_text: ClassVar[bool] = True

    form: Literal["bounded", "original"] = "bounded"
    """`original` counts as the published code does: keyword may exceed 1 and Chinese is one word (A-11)."""
    semantic: Literal["words", "vectors"] = "words"
    """`words` is the overlap that CIM calls semantic; `vectors` is `cim+` (A-10)."""
    weights: tuple[float, float, float] = (0.4, 0.4, 0.2)
    """Of keyword, semantic and time."""
    threshold: float = 0.3
    """Inclusive; with `spread` the least that it can be."""
    spread: float = 0.0
    """0 keeps the threshold fixed; 2 asks for two standard deviations above the mean of the best `among`, and for the
    threshold: it follows how much a conversation has that is near to the question (the author's to-do, T-6)."""
    among: int = 60
    most: int = 5
    """After the current question itself was left out (A-12)."""
    backfill: bool = False
    """Fills up to `most` with the oldest, whatever their score, as the published code does (A-12)."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        original = self.form == "original"
        asked = keywords(question.text, original=original), tokens(question.text, original=original)
        found = [self._scored(question, asked, one) for one in candidates]
        return ranked(found, candidates)

    def least(self, ranked: Sequence[Scored]) -> float:
        """The score from which an item is used; `ranked` is everything that was scored, best first."""
        if not self.spread or not ranked:
            return self.threshold
        scores = [one.score for one in ranked[: self.among]]
        return max(self.threshold, fmean(scores) + self.spread * pstdev(scores))

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """As in `Scoring`; those below the threshold only by `backfill`."""
        most, least = min(k, self.most), self.least(ranked)
        passed = [one for one in ranked if one.score >= least][:most]
        if self.backfill:
            rest = sorted((one for one in ranked if one not in passed), key=lambda one: one.components["order"])
            passed += rest[: most - len(passed)]
        return tuple(passed)

    def _scored(self, question: Question, asked: tuple[Keywords, Keywords], one: Candidate) -> Scored:
        original = self.form == "original"
        wanted, words = asked
        keyword = keyword_overlap(wanted, keywords(one.text, original=original), original=original)
        if self.semantic == "vectors":
            near = clamped_cosine(one.cosine)
        else:
            near = overlap(words, tokens(one.text, original=original))
        time = cim_time((question.now - one.created_at) / HOUR)
        parts = {"keyword": keyword, "semantic": near, "time": time, "order": float(one.order)}
        first, second, third = self.weights
        return Scored(id=one.id, score=first * keyword + second * near + third * time, components=parts)


def cim_time(hours: float) -> float:
    """`1 - 0.3 h/24` in the first day, then 0.7; a record from the future is one from now.

    >>> cim_time(0), cim_time(12), cim_time(24), cim_time(48), cim_time(-5)
    (1.0, 0.85, 0.7, 0.7, 1.0)
    """
    return 1 - 0.3 * max(0.0, hours) / 24 if hours <= 24 else 0.7


# --- Mimir -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Mimir:
    """`hybrid (1 - penalty) + w log10(importance)` (Convai's Mimir; A-2, A-3)."""

    reads_text: ClassVar[bool] = False

    lexical: float = 0.5
    """Weight of BM25; the rest is meaning."""
    max_penalty: float = 0.3
    """What the oldest loses; 0 switches age off."""
    curve: Curve = "decay"
    min_span: int = DAY
    """Milliseconds; a shorter history is taken to be this long, or an hour would count as an age."""
    importance: float = 0.1
    """Weight of log10(importance), which is 0 for 1 and 1 for 10."""
    reserved: int = 0
    """From 1 to 10: the most important memory that reaches this is chosen even where nothing of it matches; 0 off."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        hybrids = hybrid(question, candidates, lexical=self.lexical)
        found = [self._scored(question, one, parts) for one, parts in zip(candidates, hybrids, strict=True)]
        return ranked(found, candidates)

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        chosen = tuple(ranked[:k])
        needed = math.log10(self.reserved) if self.reserved else math.inf
        heavy = max(ranked, key=lambda one: one.components["importance"], default=None)
        if heavy is None or not k or heavy in chosen or heavy.components["importance"] < needed:
            return chosen
        return (*chosen[: k - 1], heavy)

    def _scored(self, question: Question, one: Candidate, parts: "Hybrid") -> Scored:
        share = age_share(one.created_at, now=question.now, first=question.first, min_span=self.min_span)
        penalty = age_penalty(share, most=self.max_penalty, curve=self.curve)
        weight = math.log10(min(max(one.importance, LEAST), MOST))
        return Scored(
            id=one.id,
            score=parts.score * (1 - penalty) + self.importance * weight,
            components={
                "lexical": parts.lexical,
                "semantic": parts.semantic,
                "hybrid": parts.score,
                "penalty": penalty,
                "importance": weight,
            },
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Default:
    """Mimir's form with the weights that did best on our own evaluations (docs/reference/stream.md)."""

    reads_text: ClassVar[bool] = False

    lexical: float = 0.7
    lexical_cjk: float = 0.9
    """Where the question is Chinese or Japanese: the built-in embedder hardly knows their characters."""
    max_penalty: float = 0.05
    importance: float = 0.05
    min_span: int = 30 * DAY

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        return self._mimir(question).score(question, candidates)

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        return tuple(ranked[:k])

    def _mimir(self, question: Question) -> Mimir:
        return Mimir(
            lexical=self.lexical_cjk if question.cjk else self.lexical,
            max_penalty=self.max_penalty,
            importance=self.importance,
            min_span=self.min_span,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """The mean of words and meaning, with its parts."""

    lexical: float
    """Min-max normalised BM25."""
    semantic: float
    score: float


def hybrid(question: Question, candidates: Sequence[Candidate], *, lexical: float) -> list[Hybrid]:
    """`w BM25 + (1 - w) cosine`, each between 0 and 1.

    A side that says nothing about the question at all leaves its weight to the other.
    """
    weight = lexical
    if not question.meaning:
        weight = 1.0
    elif not question.words:
        weight = 0.0
    words = minmax([one.lexical for one in candidates])
    meanings = [clamped_cosine(one.cosine) for one in candidates]
    return [
        Hybrid(lexical=word, semantic=meaning, score=weight * word + (1 - weight) * meaning)
        for word, meaning in zip(words, meanings, strict=True)
    ]


def age_share(created_at: Instant, *, now: Instant, first: Instant, min_span: int = 0) -> float:
    """Age as a share of the conversation's, from 0 (now, or in the future) to 1 (the first message, or before it).

    `min_span` in milliseconds stands in for a shorter conversation; a span of 0 gives 0.
    """
    age = max(0, now - created_at)
    span = max(now - min(first, created_at), min_span)
    return age / span if span > 0 else 0.0


def age_penalty(share: float, *, most: float = 0.3, curve: Curve = "decay") -> float:
    """What an item of this age loses of its score.

    `decay` is the Gaussian decay of search engines, `1 - (1 - most)^(share^2)`; `bell` a Gaussian around the first
    message, `complement` one minus a Gaussian around now, both with sigma 1/3 (A-2).

    >>> [round(age_penalty(x), 4) for x in (0, 0.25, 0.5, 0.75, 1)]
    [0.0, 0.022, 0.0853, 0.1818, 0.3]
    """
    if curve == "decay":
        return 1 - math.pow(1 - most, share * share)
    if curve == "bell":
        return most * math.exp(-4.5 * (1 - share) ** 2)
    return most * (1 - math.exp(-4.5 * share * share))


# --- comparisons -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """One component alone: naive retrieval by meaning, or by words."""

    reads_text: ClassVar[bool] = False

    by: Literal["cosine", "lexical"] = "cosine"
    most: int = 0
    """At most so many, whatever is asked for; 0 does not confine. RAG's usual 5."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        del question  # every profile is given one
        found = []
        for one in candidates:
            value = clamped_cosine(one.cosine) if self.by == "cosine" else one.lexical
            found.append(Scored(id=one.id, score=value, components={self.by: value}))
        return ranked(found, candidates)

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        return tuple(ranked[: min(k, self.most) if self.most else k])


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """No search at all: the newest turns, or every turn."""

    reads_text: ClassVar[bool] = False

    everything: bool = False
    """Full history, whatever `k`."""

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        del question  # every profile is given one
        found = [
            Scored(id=one.id, score=float(one.order), components={"order": float(one.order)}) for one in candidates
        ]
        return ranked(found, candidates)

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """As in `Scoring`."""
        return tuple(ranked if self.everything else ranked[:k])


DEFAULT = "default"
SCORINGS: Mapping[str, Scoring] = {
    DEFAULT: Default(),
    "scm": Scm(),
    "scm_paper": Scm(normalise="none"),
    "cim": Cim(),
    "cim_original": Cim(form="original"),
    "cim_plus": Cim(semantic="vectors"),
    "cim_dynamic": Cim(spread=2.0),
    "mimir": Mimir(),
}
"""The systems, by name."""
BASELINES: Mapping[str, Scoring] = {
    "naive": Single(),
    "rag": Single(most=5),
    "words": Single(by="lexical"),
    "no_recency": Mimir(max_penalty=0.0),
    "last_window": Newest(),
    "full_history": Newest(everything=True),
}
"""What the systems are compared with, by name."""


# --- shared ----------------------------------------------------------------------------------------------------------


def minmax(values: Iterable[float]) -> list[float]:
    """Each value between the least (0) and the largest (1); where all are one, 1 if it is positive, else 0.

    >>> minmax([2, 4, 3]), minmax([3]), minmax([0, 0]), minmax([])
    ([0.0, 1.0, 0.5], [1.0], [0.0, 0.0], [])
    """
    listed = list(values)
    if not listed:
        return []
    low, high = min(listed), max(listed)
    if high == low:
        return [1.0 if high > 0 else 0.0] * len(listed)
    return [(value - low) / (high - low) for value in listed]


def clamped_cosine(cosine: float | None) -> float:
    """A cosine between 0 and 1; negative ones mean as little as none (A-5)."""
    return 0.0 if cosine is None or math.isnan(cosine) else min(max(cosine, 0.0), 1.0)


def ranked(found: Iterable[Scored], candidates: Iterable[Candidate]) -> tuple[Scored, ...]:
    """Best first; ties go to the newer, then to the lower id, so that the order never depends on chance."""
    order = {one.id: one.order for one in candidates}
    return tuple(sorted(found, key=lambda one: (-one.score, -order[one.id], one.id)))
