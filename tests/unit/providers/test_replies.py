"""Whatever a model answers, there is an object in it or there is none; nothing else can happen."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.errors import BadReply
from r_memory.providers.replies import MENDED, object_in

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)


@given(OBJECTS)
def test_an_object_comes_back_as_it_was_sent(sent: dict[str, object]) -> None:
    assert object_in(json.dumps(sent)) == (sent, False)
    assert object_in(f"```json\n{json.dumps(sent, indent=2)}\n```") == (sent, False)


@given(st.text() | st.text(alphabet='{}[]",:\\ tfn1"', max_size=60))
def test_any_text_gives_an_object_or_a_bad_reply(text: str) -> None:
    with contextlib.suppress(BadReply):
        assert isinstance(object_in(text)[0], dict)


@pytest.mark.parametrize(
    "text", ["{" * 5_000, '{"a":' * 5_000, "[" * 100_000, "{" + '"' * 50_000, "{" + "\" ' " * 40_000 + "}"]
)
def test_an_answer_made_to_break_its_reader_is_a_bad_reply_or_an_object(text: str) -> None:
    with contextlib.suppress(BadReply):
        assert isinstance(object_in(text)[0], dict)


def test_a_long_answer_is_read_as_it_came_and_not_mended() -> None:
    facts = {"facts": [{"evidence": "x" * 100}] * MENDED}
    assert object_in(json.dumps(facts)) == (facts, False)
    with pytest.raises(BadReply):
        object_in(json.dumps(facts)[:-2] + ",]}")


@pytest.mark.parametrize("cut", [12, 30, 45, 60])
def test_an_answer_that_breaks_off_is_not_completed_by_a_guess(cut: int) -> None:
    """What is missing may be the word that denies."""
    whole = json.dumps({"facts": [{"object": "latex", "status": "negated"}, {"object": "gloves", "status": "active"}]})
    with pytest.raises(BadReply, match="breaks off in the middle"):
        object_in(f"Here you are: {whole[:cut]}")


def test_a_missing_comma_and_a_bracket_in_the_words_are_mended() -> None:
    assert object_in('{"facts": [{"object": "a {strange] name" "status": "active"}]} Anything else?') == (
        {"facts": [{"object": "a {strange] name", "status": "active"}]},
        True,
    )
