"""Days as people name them: which day is meant, by the day on which it is said."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.instants import parse_instant
from r_memory.domain.schema import Language
from r_memory.reading.days import Calendar

CALENDAR = Calendar(load_schema(Files(), "personal").language)
SUNDAY = "2026-11-29T12:00:00Z"
DAYS = st.dates(min_value=date(1971, 1, 1), max_value=date(2998, 12, 31))


def days(text: str, on: str = SUNDAY) -> list[str]:
    return [each.shown() for each in CALENDAR.days(text, parse_instant(on))]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("push this hotfix on 23 December?", ["2026-12-23"]),
        ("book the theatre for June 14", ["2027-06-14"]),
        ("can we sign on the 3rd?", ["2026-12-03"]),
        ("not before the 31st", ["2026-12-31"]),
        ("tomorrow", ["2026-11-30"]),
        ("the day after tomorrow", ["2026-12-01"]),
        ("today", ["2026-11-29"]),
        ("on Friday", ["2026-12-04"]),
        ("last Friday", ["2026-11-27"]),
        ("Friday 18 December", ["2026-12-18"]),
        ("away in August", ["2027-08-01 to 2027-08-31"]),
        ("May 2027", ["2027-05-01 to 2027-05-31"]),
        ("29 February", ["2028-02-29"]),
        ("frozen from 20 December to 6 January", ["2026-12-20 to 2027-01-06"]),
        ("20-27 December", ["2026-12-20 to 2026-12-27"]),
        ("between the 20th and 27 December", ["2026-12-20 to 2026-12-27"]),
        ("closed until 6 January", ["2026-11-29 to 2027-01-06"]),
        ("from Friday to Monday", ["2026-12-04 to 2026-12-07"]),
        ("on 3 May and on 14 June", ["2027-05-03", "2027-06-14"]),
        # March to one reader, May to another: both.
        ("03/05/2027", ["2027-03-05", "2027-05-03"]),
        ("2027-05-03", ["2027-05-03"]),
    ],
)
def test_a_day_is_the_one_that_its_words_mean_when_they_are_said(text: str, meant: list[str]) -> None:
    assert days(text) == meant


@pytest.mark.parametrize(
    "text", ["", "Rule 3 may apply", "the 32nd", "30 February", "in a week or so", "5 mg for 10 days"]
)
def test_words_that_name_no_day_give_none(text: str) -> None:
    assert days(text) == []


def test_a_period_that_runs_when_it_is_told_has_begun() -> None:
    assert days("frozen from 20 December to 6 January", "2026-12-28T12:00:00Z") == ["2026-12-20 to 2027-01-06"]


def test_a_language_without_words_for_days_knows_numbers() -> None:
    calendar = Calendar(Language(code="xx", sections={}))
    assert [each.shown() for each in calendar.days("am 2027-05-03, morgen", 0)] == ["2027-05-03"]


@given(said=DAYS, ahead=st.integers(min_value=0, max_value=6))
def test_a_weekday_is_met_by_the_next_such_day(said: date, ahead: int) -> None:
    meant = said + timedelta(days=ahead)
    assert days(f"on {meant:%A}", f"{said.isoformat()}T00:00:00Z") == [meant.isoformat()]


@given(said=DAYS, meant=DAYS)
def test_a_day_without_its_year_is_never_past(said: date, meant: date) -> None:
    (found,) = CALENDAR.days(f"on {meant.day} {meant:%B}", parse_instant(f"{said.isoformat()}T00:00:00Z"))
    assert found.first >= said
    assert (found.first.month, found.first.day) == (meant.month, meant.day)
