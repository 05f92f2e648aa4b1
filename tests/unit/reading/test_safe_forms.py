"""What leads into a statement decides whether it is taken: denials only in plain words, risks otherwise in doubt."""

import pytest

from tests.unit.reading.readers import Read, shown


@pytest.mark.proves("Z22")
@pytest.mark.parametrize(
    "text",
    [
        "It is a lie that I have no allergies.",
        "Kindly file me under no allergies.",
        "You have to write that he has no drug allergies.",
        "They could not prove that she has no allergies.",
        "No allergies turned up in the old folder.",
    ],
)
def test_denial_with_words_around_it_that_are_not_understood_is_no_absence(read: Read, text: str) -> None:
    assert [proposal for proposal in read(text).proposals if proposal.object_type == "Scope"] == []


@pytest.mark.parametrize("text", ["The janitor is allergic to latex.", "I know a man who has a stent."])
def test_fact_of_a_stranger_is_left_to_a_person(read: Read, text: str) -> None:
    extraction = read(text)
    assert (extraction.proposals, len(extraction.review)) == ((), 1)


@pytest.mark.proves("Z42")
@pytest.mark.parametrize(
    "text",
    ["Jag tål inte penicillin.", "Nie mogę brać aspiryny.", "Olen allerginen kananmunalle."],
)
def test_language_without_a_word_list_is_left_to_a_person(read: Read, text: str) -> None:
    assert read(text).review != ()


@pytest.mark.parametrize(
    "text", ["58F w/ DM2, HTN, COPD.", "s/p PPM for SSS", "Rx: ASA 81 qd, metop 25 bid", "pt c/o SOB x3d, afeb"]
)
def test_clinical_shorthand_is_not_taken_for_another_language(read: Read, text: str) -> None:
    assert read(text).language == "en"


def test_lists_with_numbers_and_several_headings_are_cut_apart(read: Read) -> None:
    text = "Allergies: 1. latex 2. codeine\nAllergies: eggs; medications: aspirin"
    assert {shown(proposal) for proposal in read(text).proposals} == {
        "HAS_ALLERGY_TO latex active",
        "HAS_ALLERGY_TO codeine active",
        "HAS_ALLERGY_TO egg active",
        "TAKES aspirin active",
    }
