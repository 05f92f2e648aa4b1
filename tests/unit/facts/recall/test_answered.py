"""Which unknown words of a draft a caller may explain: one test for each row of what keeps a word open."""

import pytest

from r_memory.domain.blocks import Judged, Judgement
from r_memory.facts.recall.answered import OPEN, Explanation, answers_in
from r_memory.protocols import Mention, Naming

JUDGEMENT = Judgement(fact="quorl", verdict="apart", why="It says how the lid closes.")


def answered(text: str, naming: Naming, judgement: Judgement = JUDGEMENT) -> tuple[Explanation, ...]:
    return answers_in([Judged(judgement=judgement, outcome="refused", told="nothing")], text, naming)


@pytest.mark.parametrize("text", ["Use the quorl lid.", "Lid at 6, quorl side up."])
def test_a_word_that_names_nothing_may_be_explained(text: str) -> None:
    (answer,) = answered(text, Naming(strange=("quorl",)))
    assert (answer.words, answer.trouble) == (frozenset({"quorl"}), "")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Ask for the Quorl lid.", "it is written as a name"),
        ("Quorl lid again.", "it is written as a name"),
        ("Shut it. Quorl lid again.", "it is written as a name"),
        ("Take 2 quorl a day.", "an amount stands beside it"),
        ("Take 5 ml quorl a day.", "an amount stands beside it"),
        ("Take quorl, 5 ml.", "an amount stands beside it"),
    ],
)
def test_each_row_keeps_a_word_open(text: str, told: str) -> None:
    assert told in OPEN
    assert [answer.trouble for answer in answered(text, Naming(strange=("quorl",)))] == [told]


def test_a_word_where_a_thing_is_ordered_stays_open() -> None:
    unknown = Mention(type="?", name="quorl", start=5, end=10, surface="quorl")
    (answer,) = answered("Give quorl.", Naming(strange=("quorl",), unknown=(unknown,)))
    assert "ordered" in answer.trouble
    assert answer.judged.outcome == "kept"


@pytest.mark.parametrize(
    "judgement",
    [
        Judgement(fact="quorl", verdict="bears", why="It is heavy."),
        Judgement(fact="quorl", verdict="apart", why=""),
        Judgement(fact="the lid", verdict="apart", why="It is a lid."),
    ],
)
def test_what_explains_no_unknown_word_is_no_answer(judgement: Judgement) -> None:
    assert answered("Use the quorl lid.", Naming(strange=("quorl",)), judgement) == ()
