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


@pytest.mark.parametrize(
    ("text", "fact", "value"),
    [
        ("Potassium 7.1 on the gas.", "potassium level", 7.1),
        ("Potassium is 2.4.", "potassium level", 2.4),
        ("Her potassium came back at 6.9 mmol/L.", "potassium level", 6.9),
        ("Sodium 114 and she is muddled.", "sodium level", 114),
        ("His platelets are 17.", "platelet count", 17),
        ("WBC 0.6, temperature up.", "white cell count", 0.6),
        ("Glucose 1.9 mmol/L", "blood glucose", 1.9),
        ("Magnesium 0.38.", "magnesium level", 0.38),
    ],
)
def test_a_laboratory_name_beside_a_number_that_is_no_dose_is_measured(
    read: Read, text: str, fact: str, value: float
) -> None:
    (found,) = read(text).proposals
    assert (shown(found), found.attrs["value"]) == (f"HAS_MEASUREMENT {fact} active", value)


@pytest.mark.parametrize(
    "text",
    [
        "I take potassium.",
        "She is on potassium 16 mmol three times a day.",
        "He takes magnesium 300 mg.",
        "Calcium 2 tablets daily.",
        "Magnesium 250 at night.",
        "I have taken potassium for 4 weeks.",
        "He had platelets 3 days ago.",
        "I put 2 sugars in my tea.",
        "Is her sodium 120?",
        "My uncle's potassium was 6.6.",
    ],
)
def test_what_is_taken_asked_or_somebody_elses_is_not_measured(said: Said, text: str) -> None:
    assert not any(fact.startswith("HAS_MEASUREMENT") for fact in said(text))


def test_a_relatives_number_waits_for_a_person(read: Read) -> None:
    found = read("Gran weighs 39 kilos.")
    assert (found.proposals, [item.reason for item in found.review]) == ((), ["said of somebody close: grandmother"])


@pytest.mark.parametrize(
    ("text", "weeks"),
    [
        ("Pregnant, 29 weeks, no bleeding.", 29),
        ("Pregnant at 33+2 weeks.", 33),
        ("She is pregnant (21 weeks).", 21),
        ("She is 26 weeks and 5 days pregnant.", 26),
        ("I'm 35+1 weeks pregnant.", 35),
        ("I am thirty-two weeks pregnant.", 32),
        ("she's 14 weeks along", 14),
        ("I'm twenty weeks along.", 20),
    ],
)
def test_the_weeks_of_a_pregnancy_are_kept_wherever_they_stand(read: Read, text: str, weeks: int) -> None:
    assert [fact.attrs.get("weeks") for fact in read(text).proposals] == [weeks]


@pytest.mark.parametrize(
    "text",
    [
        "She is pregnant, due in 7 weeks.",
        "She got pregnant 5 weeks ago.",
        "I am pregnant and have coughed for 2 weeks.",
        "Pregnant, 4 weeks after the wedding.",
    ],
)
def test_other_weeks_beside_a_pregnancy_are_not_its_own(read: Read, text: str) -> None:
    assert all("weeks" not in fact.attrs for fact in read(text).proposals)
