"""The question supplies the relation to a bare answer."""

import pytest

from tests.unit.reading.readers import Read, Said, shown

ALLERGIC = "HAS_ALLERGY_TO"


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("Have you any allergies?", "Penicillin.", {"penicillin active"}),
        ("Have you any allergies?", "Um, just latex and eggs.", {"latex active", "egg active"}),
        ("Have you any allergies?", "Only penicillin, I believe.", {"penicillin unconfirmed"}),
        ("Have you any allergies?", "Yes, zyloflurane.", {"zyloflurane active"}),
        ("Have you any allergies?", "Oh wait, latex.", {"latex active"}),
        ("Have you any allergies?", "Yeah. The name begins with a C. Oh, codeine.", {"codeine active"}),
        ("Have you any allergies?", "No.", {"any negated"}),
        ("Have you any allergies?", "No, just cats.", {"animal dander active"}),
        ("Have you any allergies?", "No, nothing except cats.", {"animal dander active"}),
        ("Any allergies to medications?", "Not to my knowledge.", {"any_drug negated"}),
        ("Any food allergies?", "No.", {"any_food negated"}),
        ("Any food allergies?", "Peanuts.", {"peanut active"}),
        ("Any other allergies?", "No.", set()),
        ("Have you any allergies? Do you run?", "No.", set()),
        ("Do you run?", "No.", set()),
        ("So no allergies?", "Right.", {"any negated"}),
        ("So no allergies?", "Yes.", set()),
        ("So you have no allergies, correct?", "Well, penicillin.", {"penicillin active"}),
        ("Are you allergic to penicillin?", "Yes.", {"penicillin active"}),
        ("Are you allergic to penicillin?", "No.", {"penicillin negated"}),
        ("Are you allergic to penicillin or sulfa?", "Yes, sulfa.", {"sulfonamide antibiotic active"}),
        (
            "Are you allergic to penicillin or sulfa?",
            "Yes.",
            {"penicillin unconfirmed", "sulfonamide antibiotic unconfirmed"},
        ),
        ("You're allergic to penicillin, right?", "No, it was codeine.", {"codeine active", "penicillin negated"}),
        ("What are you allergic to?", "Latex, bananas and kiwi.", {"latex active", "banana active", "kiwi active"}),
        ("What did you take for your allergies?", "Claritin.", set()),
        ("What happens when you take codeine?", "Awful hives.", {"codeine active"}),
        ("Okay, so he is allergic to Keflex.", "And to latex as well.", {"latex active"}),
        ("Okay, so he is allergic to Keflex.", "Latex gloves are over there.", set()),
    ],
)
def test_answer_gets_its_relation_from_the_question(said: Said, question: str, answer: str, facts: set[str]) -> None:
    expected = {f"{ALLERGIC} {fact}" for fact in facts}
    assert said(answer, before=[f"doctor: {question}"], speaker="patient") == expected


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("Pacemaker?", "Yes, they put one in.", {"HAS_IMPLANTS pacemaker active"}),
        ("Any implants?", "A pacemaker, a stent.", {"HAS_IMPLANTS pacemaker active", "HAS_IMPLANTS stent active"}),
        ("Do you have a pacemaker?", "No.", {"HAS_IMPLANTS pacemaker negated"}),
        ("What medications are you on?", "Metformin.", {"TAKES metformin active"}),
        ("Do you take any blood thinners?", "Eliquis.", {"TAKES apixaban active"}),
        ("What happens when you take codeine?", "I throw up.", {"HAS_INTOLERANCE_TO codeine active"}),
        ("Ever react to contrast dye?", "Yes, I got hives.", {"HAS_CONTRAST_ALLERGY iodinated contrast active"}),
    ],
)
def test_other_relations_are_supplied_as_well(said: Said, question: str, answer: str, facts: set[str]) -> None:
    assert said(answer, before=[f"doctor: {question}"], speaker="patient") == facts


@pytest.mark.proves("Z06")
@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("Does your father have diabetes?", "Yes.", {"HAS_FAMILY_HISTORY diabetes active"}),
        ("Does your father have diabetes?", "No.", set()),
        ("Does your mother have any allergies?", "Penicillin.", {"HAS_FAMILY_HISTORY penicillin allergy active"}),
        ("Does your mother have any allergies?", "No.", set()),
        ("Any history of diabetes?", "Yes, my mother.", {"HAS_FAMILY_HISTORY diabetes active"}),
        ("Any history of diabetes?", "My mother had it.", {"HAS_FAMILY_HISTORY diabetes active"}),
    ],
)
def test_question_about_a_relative_never_gives_the_subjects_own_fact(
    said: Said, question: str, answer: str, facts: set[str]
) -> None:
    assert said(answer, before=[f"doctor: {question}"], speaker="patient") == facts


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


def test_name_that_the_other_speaker_finishes_is_taken_when_confirmed(said: Said) -> None:
    before = ["doctor: Any drug allergies?", "patient: Something with ceph, I forget.", "doctor: Cephalexin?"]
    assert said("Yeah, that one.", before=before, speaker="patient") == {"HAS_ALLERGY_TO cephalexin active"}


@pytest.mark.parametrize(
    "question", ["Should I avoid aspirin?", "Am I allergic to penicillin?", "Have you any allergies?"]
)
def test_no_of_a_professional_to_the_subjects_question_states_nothing(said: Said, question: str) -> None:
    assert said("No.", before=[f"patient: {question}"], speaker="doctor") == set()


@pytest.mark.proves("Z08")
@pytest.mark.parametrize("answer", ["Me?", "Drugs, you mean?", "What was that?", "Why do you ask?"])
def test_question_in_return_is_no_answer(said: Said, answer: str) -> None:
    assert said(answer, before=["doctor: Are you allergic to any drugs?"], speaker="patient") == set()


@pytest.mark.parametrize("answer", ["Probably not.", "Not sure.", "Yes, quite a few actually."])
def test_answer_in_doubt_is_left_to_a_person(read: Read, answer: str) -> None:
    found = read(answer, before=["doctor: Have you any allergies?"], speaker="patient")
    assert (found.proposals, len(found.review)) == ((), 1)


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
