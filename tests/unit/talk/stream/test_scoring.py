"""Scoring as the papers write it: recency, age, importance, the hybrid, and who is chosen."""

import math
from dataclasses import replace

import pytest

from r_memory.domain.memories import Scored, importance_of
from r_memory_lab.scorings import COMPARED
from r_memory_talk.stream.scoring import (
    DAY,
    SCORINGS,
    Mimir,
    Scm,
    age_penalty,
    age_share,
    clamped_cosine,
    minmax,
    recency,
)
from tests.unit.talk.stream.world import HOUR, NOW, a_candidate, a_question


@pytest.mark.proves("A-1", "SCM-20")
@pytest.mark.parametrize(
    ("hours", "left"), [(1, 0.995), (24, 0.8867), (72, 0.6970), (168, 0.4308), (720, 0.0271), (0, 1.0), (-5, 1.0)]
)
def test_recency_is_what_is_left_after_hours_without_access(hours: float, left: float) -> None:
    assert round(recency(hours), 4) == left


@pytest.mark.proves("SCM-18", "SCM-19")
def test_scm_adds_recency_and_relevance_with_equal_weight() -> None:
    candidate = a_candidate(cosine=0.8, accessed_at=NOW - 24 * HOUR, created_at=0)
    (found,) = Scm().score(a_question(), [candidate])
    assert (round(found.score, 4), found.components["relevance"]) == (round(0.8 + 0.995**24, 4), 0.8)


@pytest.mark.proves("A-1")
def test_scm_spreads_relevance_only_where_items_are_of_different_ages() -> None:
    old, new = a_candidate("old", cosine=0.72, accessed_at=NOW - 72 * HOUR), a_candidate("new", cosine=0.70)
    far = a_candidate("far", cosine=0.10, accessed_at=NOW - 300 * HOUR)
    parts = {item.id: item.components for item in Scm().score(a_question(), [old, new, far])}
    assert (parts["old"]["relevance"], parts["far"]["relevance"], parts["new"]["recency"]) == (1.0, 0.0, 1.0)
    same_hour = [replace(item, accessed_at=NOW - HOUR) for item in (old, new, far)]
    found = Scm().score(a_question(), same_hour)
    assert [(item.id, item.components["relevance"]) for item in found] == [("old", 0.72), ("new", 0.70), ("far", 0.10)]


def test_scm_finds_what_is_relevant_however_much_newer_is_not() -> None:
    """Issue 15.2: memory of this hour must not hide what was said months ago."""
    told = a_candidate("told", cosine=0.6, accessed_at=NOW - 2_000 * HOUR)
    newer = [a_candidate(f"new {n}", order=n + 2, cosine=0.2) for n in range(30)]
    assert "told" in [item.id for item in Scm().score(a_question(), [told, *newer])[:10]]


@pytest.mark.proves("A-2", "MIM-12")
def test_age_penalties_are_those_of_the_table() -> None:
    penalties = [round(age_penalty(share), 4) for share in (0, 0.25, 0.5, 0.75, 1)]
    assert penalties == [0.0, 0.0220, 0.0853, 0.1818, 0.3]


@pytest.mark.parametrize(
    ("created", "first", "min_span", "share"),
    [
        (NOW, NOW, 0, 0.0),  # created = first = now
        (NOW - 10, NOW - 10, 0, 1.0),
        (NOW - 20, NOW - 10, 0, 1.0),  # imported from before the first
        (NOW + 99, NOW - 10, 0, 0.0),  # from the future
        (NOW - HOUR, NOW - HOUR, DAY, 1 / 24),  # a short history is no lifetime
        (NOW - 5, NOW - 10, 0, 0.5),
    ],
)
def test_the_share_of_an_age_is_between_now_and_the_first_message(
    created: int, first: int, min_span: int, share: float
) -> None:
    assert age_share(created, now=NOW, first=first, min_span=min_span) == share


@pytest.mark.proves("MIM-13", "A-3")
@pytest.mark.parametrize(
    ("importance", "boost"), [(1, 0.0), (2, 0.3010), (3, 0.4771), (5, 0.6990), (7, 0.8451), (10, 1.0)]
)
def test_the_boost_of_importance_is_its_logarithm_and_is_added(importance: int, boost: float) -> None:
    (found,) = Mimir().score(a_question(), [a_candidate(importance=importance, cosine=0.0)])
    assert (round(found.components["importance"], 4), round(found.score, 5)) == (boost, round(0.1 * boost, 5))


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (0, (1, True)),
        (-3, (1, True)),
        (11, (10, True)),
        (7.5, (8, True)),
        ("9", (9, True)),
        ("high", (5, False)),
        (None, (5, False)),
        (True, (5, False)),
        (float("nan"), (5, False)),
        (float("inf"), (10, True)),
        ([7], (5, False)),
    ],
)
def test_importance_is_a_whole_number_from_one_to_ten_or_flagged(given: object, read: tuple[int, bool]) -> None:
    assert importance_of(given) == read


@pytest.mark.proves("MIM-10", "MIM-11", "A-4")
def test_the_hybrid_is_half_normalised_words_and_half_meaning() -> None:
    candidates = [a_candidate("a", lexical=4.0, cosine=0.2), a_candidate("b", lexical=0.0, cosine=0.6)]
    found = {item.id: item.components for item in Mimir().score(a_question(), candidates)}
    assert (found["a"]["lexical"], found["a"]["hybrid"]) == (1.0, 0.6)
    assert (found["b"]["lexical"], found["b"]["hybrid"]) == (0.0, 0.3)


@pytest.mark.parametrize(("words", "meaning", "hybrid"), [(True, True, 0.6), (False, True, 0.2), (True, False, 1.0)])
def test_a_side_that_says_nothing_of_the_question_leaves_its_weight_to_the_other(
    words: bool, meaning: bool, hybrid: float
) -> None:
    (found,) = Mimir().score(a_question(words=words, meaning=meaning), [a_candidate(lexical=4.0, cosine=0.2)])
    assert found.components["hybrid"] == hybrid


@pytest.mark.parametrize(
    ("values", "normalised"),
    [([3.0], [1.0]), ([0.0], [0.0]), ([2.0, 2.0], [1.0, 1.0]), ([0.0, 0.0], [0.0, 0.0]), ([], [])],
)
def test_values_that_are_all_alike_are_one_if_positive_and_else_zero(
    values: list[float], normalised: list[float]
) -> None:
    assert minmax(values) == normalised


@pytest.mark.proves("A-5")
@pytest.mark.parametrize(("cosine", "kept"), [(-0.4, 0.0), (None, 0.0), (math.nan, 0.0), (1.0000001, 1.0), (0.3, 0.3)])
def test_cosines_below_zero_mean_as_little_as_none(cosine: float | None, kept: float) -> None:
    assert clamped_cosine(cosine) == kept


@pytest.mark.proves("MIM-12", "T-17")
def test_of_two_equal_texts_the_first_message_keeps_exactly_seven_tenths_of_the_newest() -> None:
    first = NOW - 10 * DAY
    old = a_candidate("old", created_at=first, lexical=2.0, cosine=0.9)
    new = a_candidate("new", order=2, lexical=2.0, cosine=0.9)
    found = {item.id: item for item in Mimir(importance=0.0).score(a_question(first=first), [old, new])}
    assert found["old"].score == pytest.approx(0.7 * found["new"].score)


@pytest.mark.proves("MIM-18", "T-17", "A-3")
def test_a_grave_memory_that_matches_nothing_surfaces_by_the_reserved_place_only() -> None:
    loss = a_candidate("loss", importance=10)
    small_talk = [a_candidate(f"talk {n}", order=n, lexical=2.0 + n, cosine=0.9) for n in range(4)]
    ranked = Mimir().score(a_question("shall we go out for yogurt"), [loss, *small_talk])
    assert "loss" not in [item.id for item in Mimir(reserved=0).choose(ranked, 3)]
    chosen = Mimir().choose(ranked, 3)
    assert [item.id for item in chosen] == ["talk 3", "talk 2", "loss"]
    assert [item.id for item in Mimir().choose(ranked, 0)] == []
    assert "loss" not in [item.id for item in Mimir().choose([item for item in ranked if item.id != "loss"], 3)]


def test_ties_go_to_the_newer_and_then_to_the_lower_id() -> None:
    tied = [a_candidate("b", order=1), a_candidate("a", order=1), a_candidate("c", order=2)]
    for name, scoring in COMPARED.items():
        assert [item.id for item in scoring.score(a_question("x"), tied)] == ["c", "a", "b"], name


def test_words_count_by_their_share_of_the_question_and_for_more_in_chinese() -> None:
    """One common word of a question asked in other words must not outdo what it means."""
    default = SCORINGS["default"]
    assert isinstance(default, Mimir)
    assert (default.lexical_cjk or 0) > default.lexical
    candidates = [a_candidate("words", lexical=3.0, cosine=0.0), a_candidate("meaning", order=2, cosine=0.6)]
    assert default.score(a_question("penicillin", whole=3.0), candidates)[0].id == "words"
    assert default.score(a_question("penicillin", whole=9.0), candidates)[0].id == "meaning"


def test_a_turn_near_a_better_one_is_lifted_and_one_that_says_nothing_itself_is_not() -> None:
    """Issue 15: an answer often stands a turn or two beside the words of the question."""
    best, near, empty, far = (
        a_candidate(name, place=place, cosine=cosine)
        for name, place, cosine in (("best", 7, 0.9), ("near", 9, 0.4), ("empty", 8, 0.0), ("far", 10, 0.4))
    )
    scored = {word.id: word for word in Mimir(beside=0.5).score(a_question(words=False), [best, near, empty, far])}
    assert round(scored["near"].components["beside"], 4) == round(0.5 * (math.sqrt(0.9 * 0.4) - 0.4), 4)
    assert [name for name, one in scored.items() if "beside" in one.components] == ["near"]


def test_a_turn_that_holds_its_answer_reaches_one_turn_far_as_two_messages_are() -> None:
    both = ("Where?", "There.")
    turns = [
        a_candidate(name, place=place, cosine=cosine, said=both)
        for name, place, cosine in (("best", 7, 0.9), ("next", 8, 0.4), ("second", 9, 0.4))
    ]
    scored = {word.id: word for word in Mimir(beside=0.5).score(a_question(words=False), turns)}
    assert [name for name, one in scored.items() if "beside" in one.components] == ["next"]


def test_a_memory_has_no_neighbours() -> None:
    memory, other = a_candidate("memory", cosine=0.4), a_candidate("other", cosine=0.9, place=1)
    assert "beside" not in Mimir(beside=1).score(a_question(words=False), [memory, other])[1].components


def test_every_score_says_what_it_was_made_of() -> None:
    for scoring in COMPARED.values():
        (found,) = scoring.score(a_question("x"), [a_candidate()])
        assert isinstance(found, Scored)
        assert found.components
