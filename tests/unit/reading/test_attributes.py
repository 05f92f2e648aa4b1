"""What is said beside a fact goes with the fact it belongs to."""

import pytest

from r_memory.domain.facts import Attributes
from tests.unit.reading.readers import Read


def attributes(read: Read, text: str) -> dict[str, Attributes]:
    return {proposal.object: dict(proposal.attrs) for proposal in read(text).proposals}


@pytest.mark.proves("Z30")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am severely allergic to Penicillin.", {"penicillin": {"severity": "severe"}}),
        ("I am mildly allergic to latex.", {"latex": {"severity": "mild"}}),
        ("Allergic to latex.", {"latex": {}}),
        ("Severely allergic to latex and eggs.", {"latex": {"severity": "severe"}, "egg": {"severity": "severe"}}),
        ("Anaphylaxis to latex, 2018.", {"latex": {"reaction": "anaphylaxis", "severity": "severe", "onset": 2018}}),
        ("Penicillin allergy (hives).", {"penicillin": {"reaction": "hives"}}),
        ("Mild rash with latex, tongue swelling with peanuts.", {
            "latex": {"reaction": "rash", "severity": "mild"},
            "peanut": {"reaction": "angioedema", "severity": "severe"},
        }),
        ("Allergic to penicillin, no anaphylaxis.", {"penicillin": {}}),
        ("Allergies: codeine (vomiting), latex (severe rash), tape", {
            "codeine": {"reaction": "vomiting"},
            "latex": {"reaction": "rash", "severity": "severe"},
            "tape": {},
        }),
    ],
)  # fmt: skip
def test_severity_and_reaction_go_with_their_own_allergen(
    read: Read, text: str, expected: dict[str, Attributes]
) -> None:
    assert attributes(read, text) == expected


def test_graver_of_two_grades_of_one_fact_stands(read: Read) -> None:
    text = "I have a mild penicillin allergy. Penicillin gave me anaphylaxis."
    assert attributes(read, text) == {"penicillin": {"reaction": "anaphylaxis", "severity": "severe"}}


@pytest.mark.proves("Z31")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Max paracetamol 3 g a day.", {"max": 3, "unit": "g", "period": "day"}),
        ("Max paracetamol 3,000 mg per day.", {"max": 3000, "unit": "mg", "period": "day"}),
        ("Max paracetamol 1 g q8h.", {"max": 1, "unit": "g", "period": "8 h"}),
        ("Max paracetamol 1 g every 8 hours.", {"max": 1, "unit": "g", "period": "8 h"}),
        ("Max paracetamol 500 mg per dose.", {"max": 500, "unit": "mg", "period": "dose"}),
        ("Max paracetamol two grams daily.", {"max": 2, "unit": "g", "period": "day"}),
        ("Max paracetamol 2.5g/day.", {"max": 2.5, "unit": "g", "period": "day"}),
        ("Max paracetamol four hundred mg.", {"max": 400, "unit": "mg"}),
    ],
)
def test_amounts_are_read_with_unit_and_period(read: Read, text: str, expected: Attributes) -> None:
    assert attributes(read, text) == {"acetaminophen": expected}


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Stop metformin 24 hours before contrast.", 24),
        ("Stop metformin 2 days before contrast.", 48),
        ("Stop metformin one week before contrast.", 168),
        ("Stop metformin 48h before contrast.", 48),
    ],
)
def test_lengths_of_time_are_hours(read: Read, text: str, hours: int) -> None:
    assert attributes(read, text) == {"hold metformin": {"before": "iodinated contrast", "hours": hours}}


def test_reason_of_a_prohibition_is_kept(read: Read) -> None:
    assert attributes(read, "Avoid naproxen because of her CKD.")["naproxen"] == {"reason": "kidney disease"}
