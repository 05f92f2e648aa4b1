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


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("No one is to touch the right heel.", "No one is to touch the right heel."),
        ("We had a good day. She may never lie on her left side.", "She may never lie on her left side."),
        ("Not above 600 ml until Monday.", "Not above 600 ml until Monday."),
        ("I promised not to go back there.", "I promised not to go back there."),
        ("That is the other way round. The left one is good.", "The left one is good."),
        ("Don't stand her up alone.", "Don't stand her up alone."),
        ("Leave my left foot alone.", "Leave my left foot alone."),
        ("He refuses the mask. He accepts the tube.", "He accepts the tube."),
    ],
)
def test_what_binds_and_gave_no_critical_fact_is_left_to_a_person(read: Read, text: str, left: str) -> None:
    assert left in [item.text.strip() for item in read(text, speaker="nurse").review]


@pytest.mark.parametrize(
    "text",
    [
        "We met no more than twice.",
        "Nobody came until Monday.",
        "I never hear from my cousin.",
        "Is anybody not allowed in?",
        "The bus took us there by mistake.",
        "Don't worry about the parking.",
        "Never had a better cake.",
        "Leave the light on for the cat.",
    ],
)
def test_ordinary_talk_binds_nobody(read: Read, text: str) -> None:
    assert read(text, speaker="nurse").review == ()
