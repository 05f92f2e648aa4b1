"""What leads into a statement decides whether it is taken: denials only in plain words, risks otherwise in doubt."""

import pytest

from tests.unit.reading.readers import Read, Said, shown


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


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("He's allergic to latex.", "active"),
        ("This 60 year old man is allergic to latex.", "active"),
        ("Grounds for an allergy to latex.", "unconfirmed"),
        ("The team mulled over an allergy to latex.", "unconfirmed"),
    ],
)
def test_risk_is_active_only_where_every_word_before_it_is_understood(said: Said, text: str, status: str) -> None:
    assert said(text) == {f"HAS_ALLERGY_TO latex {status}"}


@pytest.mark.parametrize("text", ["The janitor is allergic to latex.", "I know a man who has a stent."])
def test_fact_of_a_stranger_is_left_to_a_person(read: Read, text: str) -> None:
    extraction = read(text)
    assert (extraction.proposals, len(extraction.review)) == ((), 1)


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm not diabetic but my uncle is.", {"HAS_CONDITION diabetes negated", "HAS_FAMILY_HISTORY diabetes active"}),
        ("My aunt is diabetic and so am I.", {"HAS_CONDITION diabetes active", "HAS_FAMILY_HISTORY diabetes active"}),
        ("My cousin is allergic to eggs, I'm not.", {"HAS_FAMILY_HISTORY egg allergy active"}),
    ],
)
def test_clause_that_leaves_out_what_was_said_takes_it_over(said: Said, text: str, facts: set[str]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("No food allergies.", "any_food"),
        ("She has no environmental allergies.", "any_environment"),
        ("No medication allergies.", "any_drug"),
    ],
)
def test_absence_covers_its_own_scope_only(said: Said, text: str, scope: str) -> None:
    assert said(text) == {f"HAS_ALLERGY_TO {scope} negated"}


def test_absence_of_a_class_says_nothing_of_other_drugs(said: Said) -> None:
    assert said("No antibiotic allergies.") == {"HAS_ALLERGY_TO antibiotic negated"}


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("When did you get your stent?", "Two years back.", {"HAS_IMPLANTS stent unconfirmed"}),
        ("When did you get your stent?", "I never had one.", set()),
        ("We normally give codeine.", "I'm allergic to that.", {"HAS_ALLERGY_TO codeine active"}),
        ("Has anyone mentioned a knee replacement?", "Yes, but I am in two minds.", set()),
        ("No trouble with aspirin?", "None.", set()),
    ],
)
def test_answer_takes_no_more_from_a_question_than_it_grants(
    said: Said, question: str, answer: str, facts: set[str]
) -> None:
    assert said(answer, before=[f"doctor: {question}"], speaker="patient") == facts


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
