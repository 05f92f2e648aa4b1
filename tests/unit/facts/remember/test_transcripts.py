"""A long text as utterances: who said what, where, and under which key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.errors import InvalidInput
from r_memory.facts.remember.utterances import Form, TextUtterance, before, checked, keys, utterances
from r_memory.protocols import Turn


def test_every_line_with_words_is_an_utterance_with_its_place() -> None:
    text = "I take warfarin.\n\n  \n  My knee hurts.\r\n"
    spoken = utterances(text, form="lines", speaker="patient", size=100)
    assert spoken == (
        TextUtterance(text="I take warfarin.", start=0, line=1, speaker="patient", role="user"),
        TextUtterance(text="My knee hurts.", start=23, line=4, speaker="patient", role="user"),
    )


def test_a_whole_text_is_one_utterance_verbatim() -> None:
    text = "line one\nline two\n"
    said = TextUtterance(text=text, start=0, line=1, speaker="", role="user")
    assert utterances(text, form="whole", size=100) == (said,)


def test_a_dialogue_says_who_speaks_and_goes_on_with_the_same_speaker() -> None:
    spoken = utterances("Doctor: Any allergies?\npatient : To latex.\nIt itches.\nassistant: Noted.", size=100)
    assert [(said.speaker, said.role, said.text) for said in spoken] == [
        ("doctor", "user", "Any allergies?"),
        ("patient", "user", "To latex."),
        ("patient", "user", "It itches."),
        ("assistant", "assistant", "Noted."),
    ]


def test_what_an_assistant_says_is_no_evidence_and_the_next_speaker_is_evidence_again() -> None:
    spoken = utterances("assistant: You are allergic to latex.\nmore of it\npatient: No.", size=100)
    assert [said.role for said in spoken] == ["assistant", "assistant", "user"]


def test_a_colon_within_a_sentence_names_no_speaker() -> None:
    (said,) = utterances("my blood type is: A positive", speaker="patient", size=100)
    assert (said.speaker, said.text) == ("patient", "my blood type is: A positive")


def test_a_turn_that_is_too_long_goes_on_in_the_next_cut_between_sentences() -> None:
    text = "doctor: Hello.\npatient: I take warfarin. I am allergic to latex. My knee hurts."
    spoken = utterances(text, size=45)
    assert [said.text for said in spoken] == ["Hello.", "I take warfarin. I am allergic to latex. ", "My knee hurts."]
    assert {said.speaker for said in spoken[1:]} == {"patient"}
    assert [text[said.start :].startswith(said.text) for said in spoken] == [True, True, True]


@given(
    st.lists(st.text(alphabet=" aB.,:\n\té", max_size=80), max_size=20).map("\n".join),
    st.sampled_from(["dialogue", "lines", "whole"]),
    st.integers(5, 40),
)
def test_no_word_is_lost_or_moved_whatever_the_text(text: str, form: Form, size: int) -> None:
    spoken = utterances(text, form=form, size=size)
    end = 0
    for said in spoken:
        assert len(said.text) <= size
        assert text[said.start : said.start + len(said.text)] == said.text
        between = text[end : said.start]
        assert not between.strip() or (form == "dialogue" and between.rstrip().endswith(":"))
        end = said.start + len(said.text)
    assert text.count("\n", 0, spoken[-1].start) + 1 == spoken[-1].line if spoken else True


def test_keys_tell_the_places_of_a_text_apart_and_stay_the_same() -> None:
    text = f"doctor: Latex?\npatient: Yes.\ndoctor: Eggs?\npatient: Yes.\npatient: {'word ' * 20}"
    spoken = utterances(text, size=60)
    made = list(keys(spoken, text=text, key="", form="dialogue"))
    assert len(set(made)) == len(spoken) == 6
    assert made == list(keys(spoken, text=text, key="", form="dialogue"))
    assert list(keys(spoken, text=text, key="visit-7", form="dialogue"))[:2] == ["visit-7#1", "visit-7#2"]
    assert list(keys(spoken[:1], text=text, key="visit-7", form="dialogue")) == ["visit-7"]
    assert set(keys(spoken, text=text, key="", form="lines")) == {""}


def test_the_turns_before_are_those_of_the_text() -> None:
    spoken = utterances("doctor: Latex?\npatient: No.\ndoctor: Eggs?\npatient: Yes.", size=60)
    assert before(spoken, 3, turns=1) == (Turn(role="user", speaker="doctor", text="Eggs?"),)
    assert (before(spoken, 0, turns=4), len(before(spoken, 3, turns=4))) == ((), 3)


def test_a_line_that_cannot_be_stored_is_named_before_anything_is() -> None:
    spoken = utterances("fine\nbroken \x00 line", form="lines", size=100)
    with pytest.raises(InvalidInput, match=r"^line 2: .*NUL"):
        checked(spoken, limit=100)


@pytest.mark.parametrize("text", ["", "\n \n\t\n"])
def test_a_text_without_words_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        checked(utterances(text, form="lines", size=100), limit=100)


def test_a_sentence_that_goes_on_in_the_next_line_is_one_utterance() -> None:
    """Otherwise the brother's allergy is the patient's."""
    text = "I get hives from penicillin, my little brother\nis allergic to codeine.\nMy knee hurts\n"
    spoken = utterances(text, form="lines", size=100)
    assert [(said.line, said.text) for said in spoken] == [
        (1, "I get hives from penicillin, my little brother\nis allergic to codeine."),
        (3, "My knee hurts"),
    ]


def test_who_writes_no_full_stop_says_one_thing_a_line() -> None:
    spoken = utterances("i am allergic to latex\ni take warfarin", form="lines", size=100)
    assert [said.text for said in spoken] == ["i am allergic to latex", "i take warfarin"]
