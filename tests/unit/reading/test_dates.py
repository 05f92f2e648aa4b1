"""Dates: ISO where every reader would name the same day, else the words as they were said."""

import pytest

from r_memory.domain.schema import Language, Schema
from r_memory.reading.dates import Dates


@pytest.fixture(scope="module")
def dates(schema: Schema) -> Dates:
    return Dates(schema.language)


def read(dates: Dates, text: str) -> list[str]:
    return [dates.shown(said[0]) for said in dates.found(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It expires on 3 May 2027.", ["2027-05-03"]),
        ("By the 3rd of May, 2027.", ["2027-05-03"]),
        ("May 3, 2027 at the latest", ["2027-05-03"]),
        ("Due 12 Dec. 2026", ["2026-12-12"]),
        ("until 2028-02-29", ["2028-02-29"]),
        ("31.12.2026", ["2026-12-31"]),
        ("13/05/2027", ["2027-05-13"]),
        ("from 1 June 2027 to 4 July 2027", ["2027-06-01", "2027-07-04"]),
    ],
)
def test_a_day_that_everybody_reads_alike_is_iso(dates: Dates, text: str, found: list[str]) -> None:
    assert read(dates, text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("03/05/2027 is March to one and May to another", ["03/05/2027"]),
        ("13/05/27", ["13/05/27"]),
        ("on 3 May, of which year nobody said", ["3 May"]),
        ("in June 2028", ["June 2028"]),
        ("on 30 February 2027", ["30 February 2027"]),
    ],
)
def test_a_day_in_doubt_stays_as_it_was_said(dates: Dates, text: str, found: list[str]) -> None:
    assert read(dates, text) == found


@pytest.mark.parametrize(
    "text", ["Rule 3 may apply.", "clause 3.4.1 and 12", "in 2027", "1/2 of the shares", "they march 5 abreast"]
)
def test_what_is_no_date_is_none(dates: Dates, text: str) -> None:
    assert read(dates, text) == []


def test_a_language_without_names_of_months_reads_figures_only() -> None:
    bare = Dates(Language(code="xx", sections={}))
    assert read(bare, "3 May 2027 or 2027-05-04") == ["2027-05-04"]
