"""The question supplies the relation to a bare answer."""

import pytest

from tests.unit.reading.readers import Read, Said, shown


def test_yes_to_what_was_only_talked_about_is_no_fact(said: Said) -> None:
    before = ["doctor: Has anyone spoken to you about a pacemaker?"]
    assert said("Yes, but I have not decided.", before=before, speaker="patient") == set()


@pytest.mark.parametrize("question", ["Can you take aspirin?", "Do you tolerate aspirin?", "Is she fine with latex?"])
def test_no_to_whether_something_can_be_taken_is_left_to_a_person(read: Read, question: str) -> None:
    assert read("No.", before=[f"nurse: {question}"], speaker="patient").review


def test_yes_to_a_denial_with_a_tag_never_says_that_there_is_one(said: Said, read: Read) -> None:
    before = ["nurse: You do not have asthma, right?"]
    assert said("That's right.", before=before, speaker="patient") == {"HAS_CONDITION asthma negated"}
    assert said("Yes.", before=before, speaker="patient") == set()
    assert read("Yes.", before=before, speaker="patient").review


def test_yes_confirms_all_that_was_told_with_a_tag_and_no_denies_none_of_it(said: Said) -> None:
    before = ["doctor: You had your hip replaced because of arthritis, right?"]
    told = {"HAS_CONDITION arthritis active", "HAS_IMPLANTS hip replacement active"}
    assert said("Yes, that is right.", before=before, speaker="patient") == told
    assert said("No.", before=before, speaker="patient") == set()


@pytest.mark.parametrize(
    "question", ["Should I avoid aspirin?", "Am I allergic to penicillin?", "Have you any allergies?"]
)
def test_no_of_a_professional_to_the_subjects_question_states_nothing(said: Said, question: str) -> None:
    assert said("No.", before=[f"patient: {question}"], speaker="doctor") == set()


def test_question_of_the_assistant_counts_as_a_question(said: Said) -> None:
    assert said("Penicillin", before=["assistant: Have you any allergies?"], speaker="user") == {
        "HAS_ALLERGY_TO penicillin active"
    }


@pytest.mark.proves("Z23")
def test_words_of_the_assistant_are_no_evidence(read: Read) -> None:
    found = read("You are allergic to penicillin.", role="assistant", speaker="assistant")
    assert (found.proposals, found.review) == ((), ())


def test_evidence_of_an_answer_is_the_answer(read: Read) -> None:
    found = read("Well, yes. Penicillin.", before=["doctor: Have you any allergies?"], speaker="patient")
    assert [(shown(proposal), proposal.evidence) for proposal in found.proposals] == [
        ("HAS_ALLERGY_TO penicillin active", "Penicillin.")
    ]
