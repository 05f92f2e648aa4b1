"""Amounts in words against a limit: what is plain is compared, what is not is left to a person."""

from dataclasses import replace

import pytest

from r_memory.domain.schema import Language
from r_memory.facts.recall.amounts import Amount, Amounts
from tests.unit.facts.recall.test_rendering import FACT

AMOUNTS = Amounts(
    Language(
        code="en",
        sections={
            "units": {"g": ["gram"], "mg": [], "ug": ["mcg"], "tablet": ["tablets"], "percent": ["%"]},
            "periods": {
                "day": ["a day", "daily"],
                "dose": ["per dose"],
                "week": ["a week"],
                "6 h": ["four times a day", "qds"],
                "12 h": ["twice a day"],
            },
        },
    )
)


@pytest.mark.parametrize(
    ("words", "grams", "daily"),
    [
        ("She takes paracetamol 1 g four times a day.", 1.0, 4.0),
        ("ibuprofen 400mg QDS", 0.4, 4.0),
        ("Paracetamol 500 mg 2 tablets qds", 1.0, 4.0),
        ("levothyroxine 25 mcg daily", 25e-6, 1.0),
        ("methotrexate 2,5 mg a week", 0.0025, 1 / 7),
        ("1.5 gram", 1.5, None),
        ("paracetamol 1,000 mg daily", 1.0, 1.0),
    ],
)
def test_one_amount_in_words_is_read(words: str, grams: float, daily: float | None) -> None:
    amount = AMOUNTS.read(words)
    assert amount is not None
    assert amount.kind == "g"
    assert amount.size == pytest.approx(grams)
    assert amount.daily == pytest.approx(daily)


@pytest.mark.parametrize(
    "words",
    ["paracetamol", "two of them", "paracetamol 1 g, ibuprofen 400 mg", "2 tablets", "1 g twice a day or daily"],
)
def test_words_with_no_amount_or_with_several_are_not_calculated_with(words: str) -> None:
    assert AMOUNTS.read(words) is None


@pytest.mark.parametrize(
    ("words", "limit", "broken"),
    [
        ("1 g four times a day", {"max": 2, "unit": "g", "period": "day"}, True),
        ("500 mg four times a day", {"max": 2, "unit": "g", "period": "day"}, False),
        ("600 mg", {"max": 400, "unit": "mg", "period": "dose"}, True),
        ("400 mg four times a day", {"max": 400, "unit": "mg", "period": "dose"}, False),
        ("3 g", {"max": 2, "unit": "g", "period": "day"}, True),
        ("10 mg a week", {"max": 5, "unit": "mg", "period": "day"}, True),
        ("1 g", {"max": 2, "unit": "percent"}, False),
        ("8 %", {"max": 5, "unit": "percent"}, True),
        ("8 %", {"min": 10, "unit": "%"}, True),
        ("12 %", {"min": 10, "unit": "percent"}, False),
        ("8 %", {"unit": "percent"}, False),
    ],
)
def test_an_amount_breaks_a_limit_or_keeps_it(words: str, limit: dict[str, str | int], *, broken: bool) -> None:
    amount = AMOUNTS.read(words)
    assert amount is not None
    assert AMOUNTS.breaks(amount, replace(FACT, attrs=limit)) is broken


def test_what_a_caller_gave_as_dose_and_frequency_goes_before_the_words() -> None:
    used = replace(FACT, evidence="She takes two 500 mg ones.", attrs={"dose": "1 g", "frequency": "four times a day"})
    assert AMOUNTS.of_use(used) == Amount(size=1.0, kind="g", daily=4.0)


def test_a_language_without_units_reads_no_amount() -> None:
    assert Amounts(Language(code="xx", sections={})).read("1 g") is None
