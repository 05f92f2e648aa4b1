"""Laws of ranking, whatever the numbers: more of a good part never ranks lower, and order never depends on chance."""

import math
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory_lab.cim_words import keyword_overlap, overlap
from r_memory_lab.scorings import COMPARED, CimVariant, original_overlap
from r_memory_talk.stream.scoring import (
    SCORINGS,
    Mimir,
    Scm,
    Scoring,
    StreamCandidate,
    StreamQuestion,
    age_penalty,
    age_share,
    minmax,
)
from r_memory_talk.stream.words import search_query, terms

NOW = 1_795_256_102_000
YEAR = 365 * 24 * 3_600_000
times = st.integers(NOW - 5 * YEAR, NOW + YEAR)
cosines = st.one_of(st.none(), st.floats(-1, 1))
words = st.text(alphabet="ab ü過敏.", max_size=12)


@st.composite
def candidates(draw: st.DrawFn) -> list[StreamCandidate]:
    """Up to eight, with ids and places of their own."""
    number = draw(st.integers(0, 8))
    return [
        StreamCandidate(
            id=f"{order}",
            order=order,
            said=(draw(words),),
            importance=draw(st.integers(-5, 20)),
            created_at=(created := draw(times)),
            accessed_at=created,
            lexical=draw(st.floats(0, 50)),
            cosine=draw(cosines),
        )
        for order in range(number)
    ]


questions = st.builds(
    StreamQuestion, text=words, now=st.just(NOW), first=times, words=st.booleans(), meaning=st.booleans()
)
scorings = st.sampled_from([*COMPARED.values()])


@given(scorings, questions, candidates(), st.randoms(use_true_random=False), st.integers(0, 12))
def test_every_candidate_is_ranked_once_in_an_order_that_does_not_depend_on_how_they_came(
    scoring: Scoring, question: StreamQuestion, given_: list[StreamCandidate], chance: Random, k: int
) -> None:
    ranked = scoring.score(question, given_)
    assert sorted(item.id for item in ranked) == sorted(candidate.id for candidate in given_)
    assert all(math.isfinite(item.score) for item in ranked)
    assert [item.score for item in ranked] == sorted((item.score for item in ranked), reverse=True)
    shuffled = list(given_)
    chance.shuffle(shuffled)
    assert [item.id for item in scoring.score(question, shuffled)] == [item.id for item in ranked]
    chosen = scoring.choose(ranked, k)
    assert {item.id for item in chosen} <= {item.id for item in ranked}
    assert len({item.id for item in chosen}) == len(chosen)
    assert len(chosen) <= k


SCORES: dict[str, Scoring] = {
    "scm": Scm(among=99, apart=math.inf),
    "mimir": Mimir(),
    "default": SCORINGS["default"],
    "cim": CimVariant(semantic="vectors"),
}


@pytest.mark.proves("T-17")
@given(st.sampled_from(sorted(SCORES)), questions, candidates(), st.floats(0, 1), st.floats(0, 1))
def test_more_meaning_never_scores_less(
    name: str, question: StreamQuestion, others: list[StreamCandidate], one: float, other: float
) -> None:
    low, high = sorted((one, other))
    one_like = StreamCandidate(id="x", order=99, created_at=NOW, accessed_at=NOW, cosine=low)
    scores = [
        {found.id: found.score for found in SCORES[name].score(question, [*others, candidate])}["x"]
        for candidate in (one_like, replace(one_like, cosine=high))
    ]
    assert scores[0] <= scores[1]


@pytest.mark.proves("T-17")
@given(questions, st.floats(0, 1), st.integers(1, 10), st.integers(1, 10))
def test_of_two_equals_the_more_important_comes_first(
    question: StreamQuestion, cosine: float, one: int, other: int
) -> None:
    low, high = sorted((one, other))
    twins = [
        StreamCandidate(id="more", order=1, created_at=NOW, accessed_at=NOW, cosine=cosine, importance=high),
        StreamCandidate(
            id="less", order=2 if high > low else 0, created_at=NOW, accessed_at=NOW, cosine=cosine, importance=low
        ),
    ]
    assert [found.id for found in Mimir().score(question, twins)] == ["more", "less"]


@pytest.mark.proves("T-17")
@given(times, times, times, st.integers(0, YEAR), st.floats(0, 1))
def test_an_older_item_never_loses_less_and_never_more_than_the_greatest_penalty(
    one: int, other: int, first: int, min_span: int, most: float
) -> None:
    # One span for both: an item from before the first message would move it.
    oldest = min(one, other, first)
    older, newer = (
        age_penalty(age_share(at, now=NOW, first=oldest, min_span=min_span), most=most) for at in sorted((one, other))
    )
    assert -1e-12 <= newer <= older + 1e-12 <= most + 1e-9


@given(st.lists(st.floats(0, 1e6)))
def test_normalised_values_lie_between_zero_and_one_and_keep_their_order(values: list[float]) -> None:
    normalised = minmax(values)
    assert all(0 <= value <= 1 for value in normalised)
    pairs = sorted(zip(values, normalised, strict=True))
    assert [value for _, value in pairs] == sorted(normalised)


@pytest.mark.proves("A-11")
@given(st.lists(words.filter(bool), unique=True), st.lists(words.filter(bool), unique=True))
def test_the_bounded_parts_of_cim_never_exceed_one(one: list[str], other: list[str]) -> None:
    assert 0 <= keyword_overlap(one, other) <= 1
    assert 0 <= overlap(one, other) <= 1 + 1e-12
    assert original_overlap(one, other) >= keyword_overlap(one, other)


@given(st.text())
def test_any_text_can_be_indexed_and_asked(text: str) -> None:
    for language in ("en", "de", "fr", "es", "unknown"):
        assert all(terms(text, language))
    assert all(word for word in search_query(text, ("en", "de")).terms)
