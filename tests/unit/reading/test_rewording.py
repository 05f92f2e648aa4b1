"""What the taught reader is shown of sentences that name the subject."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.reading.extractor import RuleExtractor
from tests.unit.reading.readers import JOHN


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("John Doe is allergic to latex.", "She is allergic to latex."),
        ("Patient John Doe takes lithium.", "She takes lithium."),
        ("Mr Doe has gout.", "She has gout."),
        ("John\u2019s mother has gout.", "Her mother has gout."),
        ("Doe, John: penicillin allergy.", "She : penicillin allergy."),
        ("We saw John Doe; he is allergic to latex.", "We saw he ; he is allergic to latex."),
        ("The user says they are allergic to latex.", "They says they are allergic to latex."),
        ("It seems the patient's allergy is old.", "It seems her allergy is old."),
        ("User is allergic to latex.", "She is allergic to latex."),
        ("A wheelchair user needs a ramp.", "A wheelchair user needs a ramp."),
        ("The patient record is empty.", "The patient record is empty."),
        ("The previous patient had gout.", "The previous patient had gout."),
        ("Jane Roe is allergic to latex.", "Jane Roe is allergic to latex."),
        ("A doe is a deer.", "A doe is a deer."),
        ("Past medical history: gout.", "PMH : gout."),
        ("I was diagnosed with gout.", "I has gout."),
        ("No history of gout.", "No history of gout."),
    ],
)
def test_the_subjects_names_are_shown_as_pronouns(extractor: RuleExtractor, said: str, shown: str) -> None:
    seen = extractor.rewording.shown(said, JOHN)
    assert " ".join(seen.split()) == shown
    assert len(seen) == len(said)


PIECES = [
    "John Doe",
    "Amy",
    "Al",
    "Bo Ek",
    "\u0130lk",
    "'s ",
    "they ",
    "he ",
    "the user ",
    "is ",
    "says ",
    ". ",
    "x.*(y ",
    "history of ",
    "wa\u017f diagnosed with ",
    "WAS DIAGNOSED WITH ",
    "Past Medical History: ",
    "\n",
    "\u00df",
]


@pytest.mark.parametrize("name", ["John Doe", "Amy", "Al", "Bo Ek", "\u0130lk \u015eahin", "x.*(y"])
@given(text=st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_text_gets_longer_or_shorter(extractor: RuleExtractor, name: str, text: str) -> None:
    assert len(extractor.rewording.shown(text, replace(JOHN, name=name))) == len(text)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("JOHN DOE is allergic to latex.", "John Doe"),
        ("john \u017fmith is allergic to latex.", "John Smith"),
        ("\u0130LK \u015eahin is allergic to latex.", "\u0130lk \u015eahin"),
    ],
)
def test_a_name_is_found_in_other_letters_of_the_same(extractor: RuleExtractor, said: str, name: str) -> None:
    """Words that hold no part of a name are not searched for what it may mean."""
    assert extractor.rewording.shown(said, replace(JOHN, name=name)).startswith("She ")
