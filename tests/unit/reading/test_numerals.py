"""Numbers are read whole or not at all: a part of one is another number (Z31)."""

import pytest

from r_memory.reading.language import LanguagePack
from r_memory.reading.numerals import Numerals

WHOLE = {
    "25": 25,
    "1,250,000": 1250000,
    "1 250 000": 1250000,
    "12,5": 12.5,
    "12½": 12.5,
    "½": 0.5,
    "half": 0.5,
    "one half": 0.5,
    "2 and a half": 2.5,
    "two and a half": 2.5,
    "1.5 million": 1500000,
    "20 thousand": 20000,
    "3 hundred thousand": 300000,
    "half a million": 500000,
    "one and a half million": 1500000,
    "million and a half": 1500000,
    "seventeen": 17,
    "twenty five": 25,
    "twenty - five": 25,
    "hundred and five": 105,
    "five thousand two hundred": 5200,
    "two hundred and fifty thousand": 250000,
    "three million two hundred thousand": 3200000,
    "five thousand and fifty": 5050,
}
FIRST = {
    "2 500 mg": (2, 1),
    "five and ten": (5, 1),
    "hundred and two hundred": (100, 1),
    "two three": (2, 1),
    "ten - fifteen": (10, 1),
    "thousand and two thousand": (1000, 1),
}
SHORT = {"20k": 20000, "20 k": 20000, "1.5 m": 1500000, "five grand": 5000, "2bn": 2000000000, "3 lakh": 300000}


@pytest.fixture(scope="module")
def numerals(pack: LanguagePack) -> Numerals:
    return Numerals(pack)


@pytest.mark.parametrize(("text", "value"), WHOLE.items())
def test_a_number_is_read_whole(numerals: Numerals, text: str, value: float) -> None:
    words = tuple(text.split())

    assert (value, len(words)) == numerals.at(words, 0)


@pytest.mark.parametrize(("text", "found"), FIRST.items())
def test_two_numbers_are_not_one(numerals: Numerals, text: str, found: tuple[float, int]) -> None:
    assert found == numerals.at(tuple(text.split()), 0)


@pytest.mark.parametrize(("first", "value"), [("hundred", 100), ("two", 2)])
def test_the_ends_of_a_range_are_two(numerals: Numerals, first: str, value: float) -> None:
    assert (value, 2) == numerals.at(("between", first, "and", "five", "percent"), 1)


@pytest.mark.parametrize(("text", "value"), SHORT.items())
def test_money_is_said_in_short(numerals: Numerals, text: str, value: float) -> None:
    assert value == numerals.short(tuple(text.split()), 0)[0]


@pytest.mark.parametrize("text", ["mg", "20x", "5p", "and", "grand"])
def test_no_number_is_made_up(numerals: Numerals, text: str) -> None:
    assert numerals.at(tuple(text.split()), 0) == (None, 0)
