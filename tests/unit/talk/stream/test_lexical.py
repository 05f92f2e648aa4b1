"""BM25 over rows: rarity, length, neighbours, scope, and slips of the pen."""

from collections.abc import Sequence

import numpy as np
import pytest

from r_memory_talk.stream.lexical import LexicalIndex, Rows
from r_memory_talk.stream.words import search_query, terms


def an_index(texts: Sequence[str]) -> LexicalIndex:
    index = LexicalIndex()
    for row, text in enumerate(texts):
        index.add(row, (terms(text), []))
    return index


def scores(
    index: LexicalIndex, question: str, rows: int, *, chained: bool = False, without: Sequence[int] = ()
) -> list[float]:
    mask = np.ones(rows, dtype=np.bool_)
    mask[list(without)] = False
    return [
        round(float(score), 4)
        for score in index.scores(search_query(question), mask=mask, beside=beside(rows, chained))[0]
    ]


def beside(rows: int, chained: bool) -> tuple[Rows, Rows]:
    """Rows of one conversation in their order, or each by itself."""
    alone, order = np.full(rows, -1, dtype=np.int64), np.arange(rows)
    if not chained:
        return alone, alone
    return np.where(order < rows - 1, order + 1, -1), order - 1


def test_scores_are_those_of_the_formula() -> None:
    """ln(1 + (3 - 1 + 0.5) / 1.5) * f * 2.2 / (f + 1.2) with f = 1 / (0.25 + 0.75 * 2 / 2) = 1."""
    index = an_index(["red house", "blue boat", "green train"])
    assert scores(index, "house", 3) == [0.9808, 0.0, 0.0]


def test_a_question_knows_what_a_text_with_all_its_words_would_have() -> None:
    """Two of three words held: the third, which nobody said, would be the rarest."""
    index = an_index(["red house", "blue boat", "green train"])
    found, whole = index.scores(
        search_query("red house zebra"), mask=np.ones(3, np.bool_), beside=beside(3, chained=False)
    )
    assert (round(float(found[0]), 2), round(whole, 2)) == (1.96, 4.04)


def test_a_rare_word_counts_more_than_a_frequent_one_and_nothing_is_negative() -> None:
    index = an_index(["tea house", "tea boat", "tea train"])
    (rare, *_), frequent = scores(index, "house", 3), scores(index, "tea", 3)
    assert rare > frequent[0] > 0
    assert scores(an_index(["tea"]), "tea", 1)[0] > 0


def test_a_long_text_counts_less_for_the_same_word() -> None:
    texts = ["tea", "tea boat train house garden river mountain", "lake"]
    short, long, _ = scores(an_index(texts), "tea", 3)
    assert short > long


def test_the_turn_after_a_question_is_found_by_its_words_and_the_one_before_a_reply_too() -> None:
    texts = ["Any allergies?", "Yes, penicillin.", "Since when?", "For years."]
    index = an_index(texts)
    question, answer, other, _ = scores(index, "allergies", 4, chained=True)
    assert question > answer > other == 0
    _, reply, after, _ = scores(index, "penicillin", 4, chained=True)
    assert scores(index, "penicillin", 4, chained=True)[0] < after < reply
    assert scores(index, "allergies", 4)[1:] == [0.0, 0.0, 0.0]


def test_rows_outside_the_scope_neither_score_nor_count() -> None:
    index = an_index(["red house", "red boat", "blue boat", "blue house"])
    assert scores(index, "red", 4, without=[0, 3]) == [
        0.0,
        scores(an_index(["red boat", "blue boat"]), "red", 2)[0],
        0.0,
        0.0,
    ]
    assert scores(index, "red", 4, without=range(4)) == [0.0] * 4


def test_a_misspelt_word_is_taken_for_the_nearest_known_one_in_scope() -> None:
    texts = ["a pinball machine", "a coffee machine"]
    assert scores(an_index(texts), "pingball", 2)[0] > 0
    assert scores(an_index(texts), "pingball", 2, without=[0]) == [0.0, 0.0]
    assert scores(an_index(["tear"]), "teat", 1) == [0.0]


def test_a_turn_that_is_named_by_its_number_scores_like_the_rarest_word() -> None:
    index = an_index(["red", "blue", "green"])
    mask = np.ones(3, dtype=np.bool_)
    found, _ = index.scores(search_query("turn 2"), mask=mask, beside=beside(3, chained=False), places=[1])
    assert [round(float(score), 4) for score in found] == [0.0, 0.9808, 0.0]


@pytest.mark.parametrize("question", ["", "the", "unknown words only"])
def test_a_question_that_meets_nothing_scores_nothing(question: str) -> None:
    assert scores(an_index(["red house"]), question, 1) == [0.0]
    assert scores(LexicalIndex(), question, 0) == []


def test_an_index_grows_after_it_was_asked() -> None:
    index = an_index(["red house"])
    scores(index, "red", 1)
    index.add(1, (terms("red boat"), terms("a red one")))
    assert all(score > 0 for score in scores(index, "red", 2))
