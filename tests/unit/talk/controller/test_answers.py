"""A model may dress its A or B up as it likes; only a clear answer counts, and doubt is counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.turns import Judgement
from r_memory_talk.asking import UNREADABLE, answer_in, judged
from r_memory_talk.controller.gate import went_wrong


@pytest.mark.proves("SCM-16")
@pytest.mark.parametrize(
    "reply",
    [
        "A", "a", "(A)", "A.", "a)", "A: yes", "**A**", "Answer: A", "The answer is (A).", "Option A", "Yes",
        "yes.", "Yes, there is no way without it", "（A）", "选A", "答案是A", "是的，需要", "需要",  # noqa: RUF001 - Chinese
        "Ja", "Oui", "Да", "sí", "예",
        "<think>Not B? No: it is needed.</think>\n(A)", "A\n\nBecause B would miss it.",
    ],
)  # fmt: skip
def test_a_yes_in_any_dress_is_a_yes(reply: str) -> None:
    assert answer_in(reply) is True


@pytest.mark.proves("SCM-16")
@pytest.mark.parametrize(
    "reply",
    [
        "B", "b", "b.", "(B)", "(b)", "B: no", "B) no memory is needed", "`B`", "Answer: B", "Option B",
        "No", "no.",
        "No, not needed", "（B）", "答案是B", "不需要", "否", "不是",  # noqa: RUF001 - Chinese
        "Nein", "Non", "Нет", "いいえ", '{"answer": "B"}', "Б",
    ],
)  # fmt: skip
def test_a_no_in_any_dress_is_a_no(reply: str) -> None:
    assert answer_in(reply) is False


@pytest.mark.proves("SCM-16")
@pytest.mark.parametrize(
    "reply",
    ["", "   ", "(A) or (B)", "A and B", "Both A and B are right", "maybe", "C", "I don't know.", "It depends.",
     "A memory would be nice", "<think>A, or rather B"],
)  # fmt: skip
def test_both_letters_neither_or_talk_is_no_answer(reply: str) -> None:
    assert answer_in(reply) is None


@pytest.mark.proves("SCM-16")
def test_a_reply_without_an_answer_is_counted_as_a_failure_and_an_honest_doubt_is_not() -> None:
    assert judged("(B)", by="chat m") == Judgement(yes=False, by="chat m")
    assert judged("well", by="chat m") == Judgement(yes=None, by="chat m", trouble=UNREADABLE)
    doubtful = Judgement(yes=None, by="local/1", score=0.4)
    assert [went_wrong(item) for item in (judged("well", by="m"), doubtful, judged("A", by="m"))] == [
        True,
        False,
        False,
    ]


@given(st.text())
def test_any_reply_can_be_read(reply: str) -> None:
    assert answer_in(reply) in {True, False, None}
