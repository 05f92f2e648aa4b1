"""A text as utterances: what the command line tells the memory of a file."""

import pytest

from r_memory.cli.utterances import Spoken, checked, utterances
from r_memory.errors import InvalidInput


def test_every_line_with_words_is_an_utterance_with_its_line_number() -> None:
    spoken = utterances("I take warfarin.\n\n  \nMy knee hurts.\r\n", speaker="patient")
    assert spoken == (
        Spoken(text="I take warfarin.", line=1, speaker="patient", role="user"),
        Spoken(text="My knee hurts.", line=4, speaker="patient", role="user"),
    )


def test_a_whole_text_is_one_utterance_verbatim() -> None:
    text = "line one\nline two\n"
    assert utterances(text, whole=True) == (Spoken(text=text, line=1, speaker="", role="user"),)


def test_a_dialogue_says_who_speaks_and_goes_on_with_the_same_speaker() -> None:
    spoken = utterances("Doctor: Any allergies?\npatient : To latex.\nIt itches.\nassistant: Noted.", dialogue=True)
    assert [(said.speaker, said.role, said.text) for said in spoken] == [
        ("doctor", "user", "Any allergies?"),
        ("patient", "user", "To latex."),
        ("patient", "user", "It itches."),
        ("assistant", "assistant", "Noted."),
    ]


def test_what_an_assistant_says_is_no_evidence_and_the_next_speaker_is_evidence_again() -> None:
    spoken = utterances("assistant: You are allergic to latex.\nmore of it\npatient: No.", dialogue=True)
    assert [said.role for said in spoken] == ["assistant", "assistant", "user"]


def test_a_colon_within_a_sentence_names_no_speaker() -> None:
    (said,) = utterances("my blood type is: A positive", dialogue=True, speaker="patient")
    assert (said.speaker, said.text) == ("patient", "my blood type is: A positive")


def test_a_line_that_cannot_be_stored_is_named_before_anything_is() -> None:
    spoken = utterances("fine\nbroken \x00 line")
    with pytest.raises(InvalidInput, match=r"^line 2: .*NUL"):
        checked(spoken, limit=100)


@pytest.mark.parametrize("text", ["", "\n \n\t\n"])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        checked(utterances(text), limit=100)
