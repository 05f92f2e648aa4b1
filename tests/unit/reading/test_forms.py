"""What is filled in rather than said: boxes, yes and no behind a name; and who is meant by the one who speaks.

Whole results of the rules alone are compared, so that it also holds where there are no weights.
"""

import pytest

from tests.unit.reading.readers import Read, Said, shown

Facts = list[str]


@pytest.mark.parametrize(
    "text",
    [
        "Never had a problem with aspirin until last winter, when one tablet had me wheezing.",
        "No trouble with eggs till I was forty.",
    ],
)
def test_what_was_fine_only_until_something_happened_is_not_tolerated(said: Said, text: str) -> None:
    assert not any(fact.startswith("TOLERATES") for fact in said(text))


def test_a_question_mark_in_front_of_a_word_is_doubt(said: Said) -> None:
    assert said("?allergy to co-amoxiclav") == {"HAS_ALLERGY_TO amoxicillin-clavulanate unconfirmed"}


@pytest.mark.proves("Z07")
@pytest.mark.parametrize("word", ["mother", "mom", "mum", "mam", "mummy"])
def test_a_relative_is_stored_by_one_word(read: Read, word: str) -> None:
    (fact,) = read(f"My {word} has diabetes.").proposals
    assert (shown(fact), fact.attrs["relative"]) == ("HAS_FAMILY_HISTORY diabetes active", "mother")


@pytest.mark.parametrize(
    ("text", "attrs"),
    [
        ("Doc said no more than four Panadol a day for me.", (4, "tablet", "day")),
        ("Two paracetamol four times a day is her ceiling.", (2, "tablet", "6 h")),
        ("Max 8 co-codamol in 24 hours, they told me.", (8, "tablet", "day")),
    ],
)
def test_a_small_number_right_before_a_medicine_counts_tablets(
    read: Read, text: str, attrs: tuple[float, str, str]
) -> None:
    (limit,) = (fact for fact in read(text).proposals if fact.relation == "DOSE_LIMIT")
    assert (limit.attrs["max"], limit.attrs["unit"], limit.attrs["period"]) == attrs


@pytest.mark.parametrize("text", ["Never more than 400 ibuprofen.", "Never more than 3 of acetaminophen a day."])
def test_any_other_number_without_a_unit_is_no_limit(said: Said, text: str) -> None:
    assert not any(fact.startswith("DOSE_LIMIT") for fact in said(text))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I have to fast for eight hours before the scan.", ["REQUIRES_PREP fasting rule"]),
        ("I was told nothing by mouth from midnight.", ["REQUIRES_PREP fasting rule"]),
        ("She needs bowel prep before the colonoscopy.", ["REQUIRES_PREP bowel preparation rule"]),
        ("He was told to have premedication before contrast.", ["REQUIRES_PREP premedication rule"]),
        ("I need to stop my metformin two days before the scan.", ["REQUIRES_PREP hold metformin rule"]),
        ("My mouth was dry and I had nothing to eat.", []),
        ("Fasting glucose was 5.2.", []),
    ],
)
def test_what_must_be_done_before_something_is_a_preparation(read: Read, text: str, facts: Facts) -> None:
    assert sorted(shown(fact) for fact in read(text).proposals if fact.relation == "REQUIRES_PREP") == facts
