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
class StreamCandidate:
    """An item that may answer a question, with the inputs of all formulas."""

    id: str
    order: int
    """Larger for newer items, independent of clocks."""
    said: tuple[str, ...] = ()
    """Its messages, each with its speaker."""
    named: bool = False
    """The question names its speaker."""
    asks: bool = False
    """It ends with a question, so it probably holds no answer."""
    dated: bool = False
    """It was said in a month that the question names."""
    place: int = 0
    """Number of a turn; the next turn of its conversation has the next number. 0 for no turn."""
    importance: int = LEAST
    created_at: Instant
    accessed_at: Instant
    lexical: float = 0.0
    """Raw BM25; 0 if word search did not find it (A-4)."""
    cosine: float | None = None
    """`None` without a vector of the present embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamQuestion:
    """A question, and the instant at which it is asked."""

    text: str
    now: Instant
    first: Instant
    """When the searched conversation began."""
    words: bool = True
    """Whether it has words to look up."""
    whole: float = 1.0
    """BM25 of a text with each of its words once."""
    meaning: bool = True
    """Whether it has a vector."""
    cjk: bool = False
    """Whether it is mostly Chinese, Japanese or Korean."""
    asked: tuple[tuple[Term, ...], ...] = ()
    """Its telling words, each with the terms that match it."""
    rarity: Callable[[Term], float] = field(default=lambda _: 1.0, compare=False)
    """Returns the inverse document frequency of a term."""


class Scoring(Protocol):
    """A way to score candidates."""

    @property
    def speakers(self) -> bool:
        """Whether speakers count by themselves; their names are then removed from the question's vector."""
        return False

    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        """Returns every candidate, best first; ties go to the newer, then to the lower id."""
        ...

    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        """Returns the candidates that are used, at most `k`."""
        return tuple(ranked[:k])


# --- SCM -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Scm(Scoring):
    """`rank_score = recency + relevance` (Self-Controlled Memory, section 3.3), among the most relevant items.

    Over all items, the sum would always select the newest: their recency exceeds any cosine.
    """

    decay: float = 0.995
    """Recency left after an hour without access (A-1)."""
    among: int = 10
    """Most relevant items that the sum ranks, as many as the paper activates at most; the others get scores below 0."""
    apart: float = 0.05
    """Difference in recency (about ten hours) from which relevance is min-max normalised, as cosines lie in a narrow
    band. Below it, the plain sum."""

    @override
    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        nearest = sorted(candidates, key=lambda one: (-clamped_cosine(one.cosine), -one.order, one.id))
        behind = (
            Scored(id=each.id, score=near - 1, components={"relevance": near})
            for each, near in ((item, clamped_cosine(item.cosine)) for item in nearest[self.among :])
        )
        return ranked([*self._summed(question, nearest[: self.among]), *behind], candidates)

    def _summed(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> list[Scored]:
        raw = relevance = [clamped_cosine(candidate.cosine) for candidate in candidates]
        fresh = [recency((question.now - candidate.accessed_at) / HOUR, decay=self.decay) for candidate in candidates]
        if max(fresh, default=0.0) - min(fresh, default=0.0) >= self.apart:
            relevance = minmax(relevance)
        return [
            Scored(id=item.id, score=left + near, components={"recency": left, "relevance": near, "cosine": cosine})
            for item, left, near, cosine in zip(candidates, fresh, relevance, raw, strict=True)
        ]


def recency(hours: float, *, decay: float = 0.995) -> float:
    """Returns the recency left after `hours` without access; a future access counts as now.

    >>> [round(recency(hours), 3) for hours in (0, 1, 24, 72, 168, 720)]
    [1.0, 0.995, 0.887, 0.697, 0.431, 0.027]
    """
    return math.pow(decay, max(0.0, hours))


# --- CIM -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cim(Scoring):
    """`0.4 keyword + 0.4 semantic + 0.2 time`, from 0.3 upwards, at most 5 (CIM prototype).

    Question and answer are separate messages; the better one counts. Words are stems without function words, weighted
    by rarity, as its author planned. The prototype's own counting is in `r_memory_lab`.
    """

    weights: tuple[float, float, float] = (0.4, 0.4, 0.2)
    threshold: float = 0.3
    """Inclusive lower bound of the score."""
    most: int = 5
    """Most results, without the current question itself (A-12)."""

    @override
    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        return ranked([self._scored(question, candidate) for candidate in candidates], candidates)

    def _scored(self, question: StreamQuestion, one: StreamCandidate) -> Scored:
        overlaps = (overlap(question.asked, held_terms(message), question.rarity) for message in one.said)
        first, second, _ = self.weights
        keyword, semantic = max(overlaps, key=lambda two: first * two[0] + second * two[1], default=(0.0, 0.0))
        time = cim_time((question.now - one.created_at) / HOUR)
        return weighed(one, keyword=keyword, semantic=semantic, time=time, weights=self.weights)

    @override
    def choose(self, ranked: Sequence[Scored], k: int) -> tuple[Scored, ...]:
        return tuple(item for item in ranked if item.score >= self.threshold)[: min(k, self.most)]


def weighed(
    one: StreamCandidate, *, keyword: float, semantic: float, time: float, weights: tuple[float, float, float]
) -> Scored:
    """Returns CIM's weighted sum with its components."""
    first, second, third = weights
    return Scored(
        id=one.id,
        score=first * keyword + second * semantic + third * time,
        components={"keyword": keyword, "semantic": semantic, "time": time, "order": float(one.order)},
    )


def overlap(
    asked: Sequence[tuple[Term, ...]], held: frozenset[Term], rarity: Callable[[Term], float]
) -> tuple[float, float]:
    """Returns CIM's two measures of shared words, each word weighted.

    `m / (|Q| + |R| - m)`, and `c / sqrt(|q| |r|)` with squared weights, as in a cosine.
    """
    weights = [(rarity(item[0]), not held.isdisjoint(item)) for item in asked]
    wanted, there = sum(weight for weight, _ in weights), [rarity(term) for term in held]
    m, record = sum(weight for weight, shared in weights if shared), sum(there)
    if not m:
        return 0.0, 0.0
    squares = sum(weight * weight for weight, _ in weights), sum(weight * weight for weight in there)
    c = sum(weight * weight for weight, shared in weights if shared)
    return min(1.0, m / max(wanted + record - m, m)), min(1.0, c / math.sqrt(squares[0] * squares[1]))


@lru_cache(maxsize=20_000)
def held_terms(message: str) -> frozenset[Term]:
    """Returns the terms of a message, in its own language."""
    return frozenset(terms(message, language_of(message)))


def cim_time(hours: float) -> float:
    """Returns `1 - 0.3 h/24` for the first day, then 0.7; a future record counts as now.

    >>> cim_time(0), cim_time(12), cim_time(24), cim_time(48), cim_time(-5)
    (1.0, 0.85, 0.7, 0.7, 1.0)
    """
    return 1 - 0.3 * max(0.0, hours) / 24 if hours <= 24 else 0.7


# --- Mimir -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Mimir(Scoring):
    """`hybrid (1 - penalty) + w log10(importance)` (Convai's Mimir; A-2, A-3), with the additions of our `default`."""

    lexical: float = 0.5
    """Weight of BM25; meaning has the rest."""
    of_all: bool = False
    """Whether BM25 is relative to a text with all words of the question. Else it is relative to the best candidate
    (A-4), which then gets the full weight even with one word of five."""
    lexical_cjk: float | None = None
    """`lexical` for Chinese and Japanese questions, whose characters the built-in embedder hardly knows; `None`: the
    same."""
    max_penalty: float = 0.3
    """Penalty of the oldest item; 0 switches age off."""
    min_span: int = DAY
    """Milliseconds; a shorter history counts as this long, so that an hour is no great age."""
    importance: float = 0.1
    """Weight of log10(importance), which is 0 for importance 1 and 1 for 10."""
    reserved: int = 9
    """Importance from 1 to 10 from which the most important memory is always chosen, even without a match; 0: off."""
    named: float = 0.0
    """Bonus for an item whose speaker the question names."""
    asks: float = 0.0
    """Penalty for an item that ends with a question, as the answer is in another."""
    dated: float = 0.0
    """Bonus for an item said in a month that the question names."""
    beside: float = 0.0
    """Share by which a turn is lifted towards its mean with the best neighbour, as talk stays with a matter. Neighbours
    are two messages on each side, so that each of two speakers has one; one turn on each side if a turn includes the
    answer."""

    @property
    @override
    def speakers(self) -> bool:
        return self.named > 0

    @override
    def score(self, question: StreamQuestion, candidates: Sequence[StreamCandidate]) -> tuple[Scored, ...]:
        raw = [candidate.lexical for candidate in candidates]
        words = [min(1.0, item / (question.whole or 1)) for item in raw] if self.of_all else minmax(raw)
        parts = [self._parts(question, entry, word) for entry, word in zip(candidates, words, strict=True)]
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

    def _parts(self, question: StreamQuestion, one: StreamCandidate, words: float) -> Mapping[str, float]:
        """Returns the parts for words and meaning, from 0 to 1.

        A part without information gives its weight to the other.
        """
        weight = self.lexical_cjk if question.cjk and self.lexical_cjk is not None else self.lexical
        weight = 1.0 if not question.meaning else 0.0 if not question.words else weight
        meaning = clamped_cosine(one.cosine)
        share = age_share(one.created_at, now=question.now, first=question.first, min_span=self.min_span)
        penalty = age_penalty(share, most=self.max_penalty)
        hybrid = weight * words + (1 - weight) * meaning
        return {"lexical": words, "semantic": meaning, "hybrid": hybrid, "penalty": penalty}

    def _scored(self, one: StreamCandidate, parts: Mapping[str, float], aged: float, lift: float) -> Scored:
        weight = math.log10(min(max(one.importance, LEAST), MOST))
        gains = {
            "beside": lift,
            "spoken": self.named * one.named - self.asks * one.asks,
            "dated": self.dated * one.dated,
        }
        more = {name: gain for name, gain in gains.items() if gain}
        score = aged + self.importance * weight + sum(more.values())
        return Scored(id=one.id, score=score, components={**parts, "importance": weight, **more})


def lifts(candidates: Sequence[StreamCandidate], scores: Sequence[float], *, share: float) -> list[float]:
    """Returns what each turn gains from a better neighbour: `share` of the way to their mean.

    The mean is geometric, so that a turn with score 0 gains nothing.
    """
    by_place = {
        candidate.place: score for candidate, score in zip(candidates, scores, strict=True) if share and candidate.place
    }
    lifted = []
    for candidate, score in zip(candidates, scores, strict=True):
        steps = _BESIDE if len(candidate.said) < 2 else _NEXT
        best = max(score, *(by_place.get(candidate.place + step, 0.0) for step in steps))
        lifted.append(share * (math.sqrt(score * best) - score) if candidate.place in by_place else 0.0)
    return lifted


def age_share(created_at: Instant, *, now: Instant, first: Instant, min_span: int = 0) -> float:
    """Returns the age as a share of the conversation's: 0 for now or later, 1 for the first message or earlier.

    A conversation shorter than `min_span` milliseconds counts as that long; a span of 0 gives 0.
    """
    age = max(0, now - created_at)
    span = max(now - min(first, created_at), min_span)
    return age / span if span > 0 else 0.0


def age_penalty(share: float, *, most: float = 0.3) -> float:
    """Returns the share of the score that an item of this age loses: the Gaussian decay of search engines (A-2).

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
"""Our own scoring and those of the published systems, by profile name."""


# --- shared ----------------------------------------------------------------------------------------------------------


def minmax(values: Iterable[float]) -> list[float]:
    """Returns the values scaled from the least (0) to the largest (1).

    If all are equal: 1 if positive, else 0.

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
    """Returns a cosine limited to 0 to 1; a negative or missing one is 0 (A-5)."""
    return 0.0 if cosine is None or math.isnan(cosine) else min(max(cosine, 0.0), 1.0)


def ranked(found: Iterable[Scored], candidates: Iterable[StreamCandidate]) -> tuple[Scored, ...]:
    """Returns the best first; ties go to the newer, then to the lower id, so that the order is deterministic."""
    order = {candidate.id: candidate.order for candidate in candidates}
    return tuple(sorted(found, key=lambda one: (-one.score, -order[one.id], one.id)))
