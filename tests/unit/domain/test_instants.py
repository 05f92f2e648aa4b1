"""Instants and their ISO form."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain import instants
from r_memory.domain.instants import EARLIEST, LATEST, iso, iso_day, iso_seconds, parse_instant
from r_memory.errors import InvalidInput

EVERY = st.integers(min_value=EARLIEST, max_value=LATEST)


def test_examples_of_the_module_hold() -> None:
    assert doctest.testmod(instants).failed == 0


@given(EVERY)
def test_iso_form_is_read_back_as_the_same_instant(instant: int) -> None:
    assert parse_instant(iso(instant)) == instant


@given(EVERY)
def test_iso_form_always_has_24_characters(instant: int) -> None:
    assert (len(iso(instant)), len(iso_seconds(instant)), len(iso_day(instant))) == (24, 20, 10)


@given(EVERY, EVERY)
def test_iso_forms_sort_like_instants(one: int, other: int) -> None:
    assert (iso(one) < iso(other)) == (one < other)


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1969-12-31T23:59:59.999Z", -1),
        ("2026-11-21T10:15:02Z", 1_795_256_102_000),
        ("2026-11-21 10:15:02.0019+00:00", 1_795_256_102_001),
    ],
)
def test_any_zone_is_understood_and_parts_of_milliseconds_are_dropped(text: str, instant: int) -> None:
    assert parse_instant(text) == instant


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("yesterday", "give ISO-8601"),
        ("", "give ISO-8601"),
        ("2026-02-30T00:00:00Z", "give ISO-8601"),
        ("2026-11-21T10:15:02", "use Z or an offset"),
        ("2026-11-21", "use Z or an offset"),
        ("0001-01-01T00:00:00+14:00", "years 1 to 9999"),
        ("9999-12-31T23:59:59-12:00", "years 1 to 9999"),
    ],
)
def test_what_is_no_instant_is_refused_with_a_remedy(text: str, remedy: str) -> None:
    with pytest.raises(InvalidInput, match=remedy):
        parse_instant(text)


@given(st.text())
def test_no_text_breaks_the_parser(text: str) -> None:
    try:
        parse_instant(text)
    except InvalidInput as error:
        assert ";" in str(error)  # noqa: PT017 - most texts are refused, some may be instants
