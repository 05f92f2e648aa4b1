"""Offsets into the plain text are offsets into what was said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.reading.normalise import plain
from r_memory.text.markers import has_stray_marker, without_blocks

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)


@given(ANY_TEXT)
def test_plain_keeps_every_position(text: str) -> None:
    assert len(plain(text)) == len(text)


@given(ANY_TEXT)
def test_without_blocks_keeps_every_position(text: str) -> None:
    assert len(without_blocks(f"a [R-MEMORY CONTEXT]: {text}")) == len(f"a [R-MEMORY CONTEXT]: {text}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("can\N{RIGHT SINGLE QUOTATION MARK}t", "can't"),
        ("a\N{EM DASH}b", "a-b"),
        ("a\N{NO-BREAK SPACE}b", "a b"),
        ("a\N{RIGHT-TO-LEFT OVERRIDE}b\x00c\ud800d", "a b c d"),
        ("p\N{LATIN SMALL LETTER E WITH ACUTE}nicilline", "penicilline"),
        ("a\N{LINE SEPARATOR}b\x85c", "a\nb\nc"),
    ],
)
def test_typographic_variants_are_folded(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.proves("Z23")
def test_own_blocks_are_blanked_with_everything_in_them() -> None:
    text = "before [R-MEMORY CONTEXT]: allergic to penicillin\nsecond line [END R-MEMORY CONTEXT] after"
    assert without_blocks(text).split() == ["before", "after"]


@pytest.mark.proves("Z23")
def test_conversational_sections_are_blanked_up_to_the_query() -> None:
    text = "[CONVERSATION SUMMARY]: allergic to latex\n[PREVIOUS TURN]: hello\n[QUERY]:\nI take warfarin."
    assert without_blocks(text).split() == ["[QUERY]:", "I", "take", "warfarin."]


def test_marker_without_its_partner_hides_nothing() -> None:
    assert without_blocks("[R-MEMORY CONTEXT]: I am ill").split() == ["I", "am", "ill"]
    assert has_stray_marker("[R-MEMORY CONTEXT]: I am allergic to latex")
    assert not has_stray_marker("[R-MEMORY CONTEXT]: x [END R-MEMORY CONTEXT]")
