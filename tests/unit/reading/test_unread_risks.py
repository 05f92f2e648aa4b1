"""What is not understood: taken back, merely near, on a form, or about somebody who is only introduced."""

import pytest

from tests.unit.reading.readers import Read, shown

Facts = list[str]


def test_absence_in_brackets_behind_a_denial_of_something_else_is_not_taken(read: Read) -> None:
    assert "HAS_IMPLANTS dialysis graft negated" not in map(shown, read("No lines in that arm (fistula).").proposals)


@pytest.mark.proves("Z05")
@pytest.mark.parametrize(
    "text",
    [
        "That clindamycin and I have a history.",
        "I'm allergic to whatever they gave me in the ambulance.",
        "They said if I took sulfa again it would kill me.",
        "I had an awful reaction to something at the vet's.",
        "The nurse gave me something and I reacted quite badly.",
        "I had a reaction last year, no idea to what.",
    ],
)
def test_unread_remark_about_something_watched_is_left_to_a_person(read: Read, text: str) -> None:
    assert read(text, speaker="patient").review


@pytest.mark.parametrize("text", ["Start clindamycin 300 mg.", "I took naproxen for the pain.", "Is clindamycin safe?"])
def test_orders_purposes_and_questions_leave_nothing_to_a_person(read: Read, text: str) -> None:
    assert read(text, speaker="patient").review == ()


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("Are you allergic to eggs?", "I used to be.", ["HAS_ALLERGY_TO egg unconfirmed"]),
        ("Do you have any drug allergies?", "Wrong question, codeine.", []),
    ],
)
def test_answer_that_is_half_understood_is_unconfirmed_or_left_to_a_person(
    read: Read, question: str, answer: str, facts: Facts
) -> None:
    found = read(answer, before=[f"doctor: {question}"], speaker="patient")
    assert sorted(map(shown, found.proposals)) == facts
    assert found.proposals or found.review


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which one was it, cefaclor or codeine?", "The second one."),
        ("Would you be fine with ibuprofen?", "God no, not with my ulcer."),
        ("Is it your son who is allergic to eggs?", "No, me."),
    ],
)
def test_answer_that_only_a_person_can_place_is_left_to_one(read: Read, question: str, answer: str) -> None:
    assert read(answer, before=[f"doctor: {question}"], speaker="patient").review
