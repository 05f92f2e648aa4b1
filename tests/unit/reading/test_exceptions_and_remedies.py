"""What turns a sentence round without a word of denial of its own: exceptions, remedies, kinds, relatives, languages.

Each line is a sentence of our own, the facts it must give as `RELATION object status`, and whether a person must look.
"""

import pytest

from tests.unit.reading.readers import Read, shown

PENICILLIN = ["HAS_ALLERGY_TO penicillin active"]


def test_name_in_an_answer_that_is_not_understood_is_left_to_a_person(read: Read) -> None:
    found = read("Penicillin aside, nothing.", before=["doctor: Are you allergic to anything?"], speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


def test_effect_told_on_request_of_what_the_patient_named_is_left_to_a_person(read: Read) -> None:
    before = ["doctor: What do you react to?", "patient: It's the naproxen.", "doctor: Yes, what does it do?"]
    found = read("I get hives all over.", before=before, speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


def test_effect_whose_cause_was_named_in_an_earlier_turn_is_left_to_a_person(read: Read) -> None:
    before = ["doctor: What do you take?", "patient: Lisinopril.", "doctor: How have you been?"]
    found = read("I get swelling in my lips.", before=before, speaker="patient")
    assert (list(found.proposals), bool(found.review)) == ([], True)


@pytest.mark.parametrize("opening", ["Before we start: ", "One thing you should note: ", "For tomorrow's list: "])
def test_a_clause_of_its_own_behind_a_colon_is_as_certain_as_without_the_opening(opening: str, read: Read) -> None:
    assert [shown(each) for each in read(f"{opening}I am severely allergic to penicillin.").proposals] == PENICILLIN


@pytest.mark.proves("Z05")
@pytest.mark.parametrize(
    "text",
    [
        "Allergies? None, apart from penicillin.",
        "Allergies? None that I can think of, except penicillin.",
        "Any allergies? No, other than to penicillin.",
    ],
)
def test_an_exception_in_an_answer_to_ones_own_question_is_never_passed_over(read: Read, text: str) -> None:
    reading = read(text)
    assert [shown(each) for each in reading.proposals] == PENICILLIN or reading.review


@pytest.mark.proves("Z03", "Z05")
@pytest.mark.parametrize(
    "text",
    ["Allergies? None apart from kiwi.", "Any allergies? Nothing except zylofan.", "Any allergies? No, except kiwi."],
)
def test_an_exception_of_an_unknown_name_is_never_passed_over(read: Read, text: str) -> None:
    assert read(text).review


def test_an_exception_from_anything_else_asks_nobody(read: Read) -> None:
    assert not read("No change except for the dose.").review
