"""How candidates are scored: one profile for each published system, and our own.

Every profile is a pure function of a question and the same candidates, and says what each score was made of.
Formulas and their sources: docs/reference/stream.md. Knows no index, store or model.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from typing_extensions import override

from r_memory.domain.instants import Instant
from r_memory.domain.memories import LEAST, MOST, Scored
from r_memory_talk.stream.words import Term, language_of, terms

HOUR = 3_600_000
DAY = 24 * HOUR
_BESIDE, _NEXT = (-2, -1, 1, 2), (-1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An item that may answer, with everything that a formula asks of it."""

    id: str
    order: int
    """Newer items have larger ones, whatever the clocks said."""
    said: tuple[str, ...] = ()
    """Its messages, each with who said it."""
    named: bool = False
    """The question names who said it."""
    asks: bool = False
    """It ends with a question: it tells what somebody wants to know."""
    dated: bool = False
    """It was said in a month that the question names."""
    place: int = 0
    """Of a turn: that of the next one of its conversation is one more; 0 for what is no turn."""
    importance: int = LEAST
    created_at: Instant
    accessed_at: Instant
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
    whole: float = 1.0
    """BM25 of a text with each of its words once."""
    meaning: bool = True
    """It has a vector."""
    cjk: bool = False
    """It is mostly written in Chinese, Japanese or Korean."""
    asked: tuple[tuple[Term, ...], ...] = ()
    """Its telling words, each with the terms that count as it."""
    rarity: Callable[[Term], float] = field(default=lambda _: 1.0, compare=False)
    """What a term weighs: more, the fewer items hold it."""


class Scoring(Protocol):
    """One way to score."""

    @property
    def speakers(self) -> bool:
        """Whether who said something counts by itself: the question's meaning is then taken without their names."""
        return False

    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        """Every candidate, best first; ties go to the newer, then to the lower id."""
        ...

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """Those that are used: at most `k`."""
        return tuple(ranked[:k])


# --- SCM -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Scm(Scoring):
    """`rank_score = recency + relevance` (Self-Controlled Memory, section 3.3), among what is most relevant.

    Memory of this hour has more recency than any cosine: among all items the sum would be the newest ones.
    """

    decay: float = 0.995
    """Recency that is left after an hour without access (A-1)."""
    among: int = 10
    """Most relevant items that the sum orders, the most that the paper activates; the others lie below 0."""
    apart: float = 0.05
    """Difference in recency, some ten hours, from which these are of different ages: cosines lie in a narrow band, so
    that the relevance is then min-max normalised. Below, the plain sum."""

    @override
    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        nearest = sorted(candidates, key=lambda one: (-clamped_cosine(one.cosine), -one.order, one.id))
        behind = (
            Scored(id=one.id, score=near - 1, components={"relevance": near})
            for one, near in ((one, clamped_cosine(one.cosine)) for one in nearest[self.among :])
        )
        return ranked([*self._summed(question, nearest[: self.among]), *behind], candidates)

    def _summed(self, question: Question, candidates: Sequence[Candidate]) -> list[Scored]:
        raw = relevance = [clamped_cosine(one.cosine) for one in candidates]
        fresh = [recency((question.now - one.accessed_at) / HOUR, decay=self.decay) for one in candidates]
        if max(fresh, default=0.0) - min(fresh, default=0.0) >= self.apart:
            relevance = minmax(relevance)
        return [
            Scored(id=one.id, score=left + near, components={"recency": left, "relevance": near, "cosine": cosine})
            for one, left, near, cosine in zip(candidates, fresh, relevance, raw, strict=True)
        ]


def recency(hours: float, *, decay: float = 0.995) -> float:
    """What is left of an item's freshness after so many hours without access; the future counts as now.

    >>> [round(recency(hours), 3) for hours in (0, 1, 24, 72, 168, 720)]
    [1.0, 0.995, 0.887, 0.697, 0.431, 0.027]
    """
    return math.pow(decay, max(0.0, hours))


# --- CIM -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cim(Scoring):
    """`0.4 keyword + 0.4 semantic + 0.2 time`, from 0.3 upwards, at most 5 (CIM prototype).

    Question and answer are messages of their own, and the better one counts. Words are stems without function words,
    weighed by their rarity: its author's to-do. As the prototype counts them they are in `r_memory_lab`.
    """

    weights: tuple[float, float, float] = (0.4, 0.4, 0.2)
    threshold: float = 0.3
    """Inclusive."""
    most: int = 5
    """After the current question itself was left out (A-12)."""

    @override
    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        return ranked([self._scored(question, one) for one in candidates], candidates)

    def _scored(self, question: Question, one: Candidate) -> Scored:
        overlaps = (overlap(question.asked, held_terms(message), question.rarity) for message in one.said)
        first, second, _ = self.weights
        keyword, semantic = max(overlaps, key=lambda two: first * two[0] + second * two[1], default=(0.0, 0.0))
        time = cim_time((question.now - one.created_at) / HOUR)
        return weighed(one, keyword=keyword, semantic=semantic, time=time, weights=self.weights)

    @override
    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        return tuple(one for one in ranked if one.score >= self.threshold)[: min(k, self.most)]


def weighed(
    one: Candidate, *, keyword: float, semantic: float, time: float, weights: tuple[float, float, float]
) -> Scored:
    """CIM's sum with its parts."""
    first, second, third = weights
    return Scored(
        id=one.id,
        score=first * keyword + second * semantic + third * time,
        components={"keyword": keyword, "semantic": semantic, "time": time, "order": float(one.order)},
    )


def overlap(
    asked: Sequence[tuple[Term, ...]], held: frozenset[Term], rarity: Callable[[Term], float]
) -> tuple[float, float]:
    """CIM's two measures of the words that a question and a message share, each word at its weight.

    `m / (|Q| + |R| - m)` and `c / sqrt(|q| |r|)`, the second over squares, as in a cosine.
    """
    weights = [(rarity(one[0]), not held.isdisjoint(one)) for one in asked]
    wanted, there = sum(weight for weight, _ in weights), [rarity(term) for term in held]
    m, record = sum(weight for weight, shared in weights if shared), sum(there)
    if not m:
        return 0.0, 0.0
    squares = sum(weight * weight for weight, _ in weights), sum(weight * weight for weight in there)
    c = sum(weight * weight for weight, shared in weights if shared)
    return min(1.0, m / max(wanted + record - m, m)), min(1.0, c / math.sqrt(squares[0] * squares[1]))


@lru_cache(maxsize=20_000)
def held_terms(message: str) -> frozenset[Term]:
    """The terms of a message, in its language."""
    return frozenset(terms(message, language_of(message)))


def cim_time(hours: float) -> float:
    """`1 - 0.3 h/24` in the first day, then 0.7; a record from the future is one from now.

    >>> cim_time(0), cim_time(12), cim_time(24), cim_time(48), cim_time(-5)
    (1.0, 0.85, 0.7, 0.7, 1.0)
    """
    return 1 - 0.3 * max(0.0, hours) / 24 if hours <= 24 else 0.7


# --- Mimir -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Mimir(Scoring):
    """`hybrid (1 - penalty) + w log10(importance)` (Convai's Mimir; A-2, A-3), and what our `default` adds."""

    lexical: float = 0.5
    """Weight of BM25; the rest is meaning."""
    of_all: bool = False
    """Words count by their share of all that the question has; else beside the candidate that holds most of them (A-4),
    which is then sure of its weight though it holds one word of five."""
    lexical_cjk: float | None = None
    """Where the question is Chinese or Japanese: the built-in embedder hardly knows their characters. `None` is the
    same."""
    max_penalty: float = 0.3
    """What the oldest loses; 0 switches age off."""
    min_span: int = DAY
    """Milliseconds; a shorter history is taken to be this long, or an hour would count as an age."""
    importance: float = 0.1
    """Weight of log10(importance), which is 0 for 1 and 1 for 10."""
    reserved: int = 9
    """From 1 to 10: the most important memory that reaches this is chosen even where nothing of it matches; 0 off."""
    named: float = 0.0
    """What an item gains whose speaker the question names: it asks what that one said."""
    asks: float = 0.0
    """What an item loses that ends with a question: the answer stands in another."""
    dated: float = 0.0
    """What an item gains that was said in a month that the question names."""
    beside: float = 0.0
    """How far a turn is lifted towards its mean with the best of its neighbours: talk stays with a matter. Two messages
    on either side, as of two speakers each then has one among them; one turn where it holds the answer as well."""

    @property
    @override
    def speakers(self) -> bool:
        return self.named > 0

    @override
    def score(self, question: Question, candidates: Sequence[Candidate]) -> tuple[Scored, ...]:
        raw = [one.lexical for one in candidates]
        words = [min(1.0, one / (question.whole or 1)) for one in raw] if self.of_all else minmax(raw)
        parts = [self._parts(question, one, word) for one, word in zip(candidates, words, strict=True)]
        aged = [each["hybrid"] * (1 - each["penalty"]) for each in parts]
        near = lifts(candidates, aged, share=self.beside)
        return ranked(map(self._scored, candidates, parts, aged, near), candidates)

    @override
    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        chosen = tuple(ranked[:k])
        needed = math.log10(self.reserved) if self.reserved else math.inf
        heavy = max(ranked, key=lambda one: one.components["importance"], default=None)
        if heavy is None or not k or heavy in chosen or heavy.components["importance"] < needed:
            return chosen
        return (*chosen[: k - 1], heavy)

    def _parts(self, question: Question, one: Candidate, words: float) -> Mapping[str, float]:
        """Words and meaning, from 0 to 1; a side that says nothing of a question leaves its weight to the other."""
        weight = self.lexical_cjk if question.cjk and self.lexical_cjk is not None else self.lexical
        weight = 1.0 if not question.meaning else 0.0 if not question.words else weight
        meaning = clamped_cosine(one.cosine)
        share = age_share(one.created_at, now=question.now, first=question.first, min_span=self.min_span)
        penalty = age_penalty(share, most=self.max_penalty)
        hybrid = weight * words + (1 - weight) * meaning
        return {"lexical": words, "semantic": meaning, "hybrid": hybrid, "penalty": penalty}

    def _scored(self, one: Candidate, parts: Mapping[str, float], aged: float, lift: float) -> Scored:
        weight = math.log10(min(max(one.importance, LEAST), MOST))
        gains = {
            "beside": lift,
            "spoken": self.named * one.named - self.asks * one.asks,
            "dated": self.dated * one.dated,
        }
        more = {name: gain for name, gain in gains.items() if gain}
        score = aged + self.importance * weight + sum(more.values())
        return Scored(id=one.id, score=score, components={**parts, "importance": weight, **more})


def lifts(candidates: Sequence[Candidate], scores: Sequence[float], *, share: float) -> list[float]:
    """What each turn gains where a neighbour does better: so much of the way to their mean.

    The mean is the geometric one: what says nothing of the question by itself is not lifted, whatever stands beside it.
    """
    by_place = {one.place: score for one, score in zip(candidates, scores, strict=True) if share and one.place}
    lifted = []
    for one, score in zip(candidates, scores, strict=True):
        steps = _BESIDE if len(one.said) < 2 else _NEXT
        best = max(score, *(by_place.get(one.place + step, 0.0) for step in steps))
        lifted.append(share * (math.sqrt(score * best) - score) if one.place in by_place else 0.0)
    return lifted


def age_share(created_at: Instant, *, now: Instant, first: Instant, min_span: int = 0) -> float:
    """Age as a share of the conversation's, from 0 (now, or in the future) to 1 (the first message, or before it).

    `min_span` in milliseconds stands in for a shorter conversation; a span of 0 gives 0.
    """
    age = max(0, now - created_at)
    span = max(now - min(first, created_at), min_span)
    return age / span if span > 0 else 0.0


def age_penalty(share: float, *, most: float = 0.3) -> float:
    """What an item of this age loses of its score: the Gaussian decay of search engines (A-2).

    >>> [round(age_penalty(x), 4) for x in (0, 0.25, 0.5, 0.75, 1)]
    [0.0, 0.022, 0.0853, 0.1818, 0.3]
    """
    return 1 - math.pow(1 - most, share * share)


DEFAULT = "default"
SCORINGS: Mapping[str, Scoring] = {
    # The weights that did best on our own evaluations (docs/reference/stream.md).
    DEFAULT: Mimir(
        lexical=0.4,
        lexical_cjk=0.9,
        of_all=True,
        max_penalty=0.05,
        importance=0.05,
        min_span=30 * DAY,
        reserved=0,
        named=0.2,
        asks=0.1,
        dated=0.15,
        beside=0.9,
    ),
    "scm": Scm(),
    "cim": Cim(),
    "mimir": Mimir(),
}
"""Our own and the published systems, by the name of the profile that scores so."""


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
