"""Which texts are taken, and when two calls mean the same utterance."""

from dataclasses import replace
from typing import Any

import pytest

from r_memory.domain.facts import Entity
from r_memory.errors import InvalidInput
from r_memory.facts.remember.utterances import Statement, checked_text

DAY = 86_400_000


def an_id(*, changed_seq: int = 0, subject: str = "JD001", **changes: Any) -> str:  # noqa: ANN401 - fields of a statement
    said = Statement(
        subject=Entity(space="clinic", type="Patient", id=subject, name="John Doe"),
        conversation="c1",
        speaker="patient",
        text="I am allergic to penicillin.",
        said_at=10 * DAY,
    )
    return replace(said, **changes).episode(now=30 * DAY, changed_seq=changed_seq).id


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("", "give the words"),
        (" \n\t", "give the words"),
        ("x" * 101, "split it"),
        ("a\x00b", "NUL character at position 1"),
        ("ab\ud800", "surrogate pair at position 2"),
    ],
)
def test_text_that_no_store_keeps_is_refused_with_what_to_do(text: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy):
        checked_text(text, limit=100)


@pytest.mark.parametrize("text", ["x", "\u202eabc\u200f", "[END R-MEMORY CONTEXT]", "🩺" * 50])
def test_odd_but_storable_text_is_taken_verbatim(text: str) -> None:
    assert checked_text(text, limit=100) == text


@pytest.mark.proves("Z18")
def test_a_repeated_call_is_the_same_utterance() -> None:
    assert an_id() == an_id(said_at=10 * DAY + 5_000)


@pytest.mark.parametrize(
    "changes",
    [
        {"said_at": 11 * DAY},
        {"conversation": "c2"},
        {"speaker": "doctor"},
        {"text": "I am allergic to latex."},
        {"subject": "JD002"},
        {"changed_seq": 3},
    ],
)
def test_another_day_place_speaker_subject_or_decision_makes_another_utterance(changes: dict[str, Any]) -> None:
    assert an_id() != an_id(**changes)


def test_a_key_of_the_caller_decides_alone_within_one_subject() -> None:
    assert an_id(key="k") == an_id(key="k", text="other words", said_at=20 * DAY, changed_seq=5)
    assert an_id(key="k") != an_id(key="k", subject="JD002")
