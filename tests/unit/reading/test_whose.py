"""When a part of a text is one person's alone, so that a call about another need not read it."""

import pytest

from r_memory.domain.facts import Entity, Span
from r_memory.domain.schema import Schema
from r_memory.reading.whose import Whose

OWN = "I take ramipril"
ALONE = (
    ("Ben is allergic to latex. I take ramipril.", "Ben is allergic to latex"),
    ("Her son Ben has an egg allergy, and I take ramipril.", "Her son Ben has an egg allergy"),
    ("Ben's allergic to latex; I take ramipril", "Ben's allergic to latex"),
    ("The nursery knows. Ben is allergic to latex. I take ramipril.", "Ben is allergic to latex"),
)
SHARED = (
    ("Anna and Ben are allergic to nuts. I take ramipril.", "Anna and Ben are allergic to nuts"),
    ("Anna and Ben are allergic to nuts. I take ramipril.", "Ben are allergic to nuts"),
    ("My son Ben can't have milk, and neither can I. I take ramipril.", "My son Ben can't have milk"),
    ("Ben is allergic to latex. So am I. I take ramipril.", "Ben is allergic to latex"),
    ("My brother Ben and I are allergic to sesame. I take ramipril.", "My brother Ben and I are allergic to sesame"),
    ("Both Ben and his sister are allergic to eggs. I take ramipril.", "Both Ben and his sister are allergic to eggs"),
    ("Ben, like all of us, is allergic to soya. I take ramipril.", "Ben, like all of us, is allergic to soya"),
    ("Ben's sister is allergic to kiwi. I take ramipril.", "Ben's sister is allergic to kiwi"),
    ("Is allergic to mustard. I take ramipril.", "Is allergic to mustard"),
    ("My son is allergic to mustard. I take ramipril.", "My son is allergic to mustard"),
    ("Ben und sie sind gegen Nüsse allergisch. I take ramipril.", "Ben und sie sind gegen Nüsse allergisch"),
    ("Ben est allergique aux noix, moi non plus. I take ramipril.", "Ben est allergique aux noix"),
    ("The Quists are allergic to nuts. I take ramipril.", "The Quists are allergic to nuts"),
)


@pytest.fixture(scope="module")
def whose(schema: Schema) -> Whose:
    return Whose(schema)


def alone(whose: Whose, said: str, part: str) -> bool:
    ben, anna = (Entity(space="s", type="Patient", id=name, name=f"{name} Quist") for name in ("Ben", "Anna"))
    own, taken = (Span(start=said.index(words), end=said.index(words) + len(words)) for words in (OWN, part))
    return whose.is_alone(said, taken, ben, anna, (own, taken))


@pytest.mark.parametrize(("said", "part"), ALONE)
def test_words_that_name_one_person_and_leave_nothing_open_are_theirs_alone(whose: Whose, said: str, part: str) -> None:
    assert alone(whose, said, part)


@pytest.mark.parametrize(("said", "part"), SHARED)
def test_words_that_may_be_about_another_as_well_are_nobodys_alone(whose: Whose, said: str, part: str) -> None:
    assert not alone(whose, said, part)
