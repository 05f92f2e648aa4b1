"""How names of a party are compared: legal forms, parts and misspellings, and what is another name."""

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.facts.recall.lines import Lines
from r_memory.facts.recall.ties import Likeness, Ties
from tests.doubles import scripted_reader


@pytest.fixture(scope="module")
def ties() -> Ties:
    schema = load_domain(Files(), "law").schema
    return Ties(scripted_reader(schema), Lines(schema))


@pytest.mark.parametrize(
    ("name", "other", "likeness"),
    [
        ("Marlow Freight", "marlow freight", "exact"),
        ("Marlow Freight Ltd", "Marlow Freight", "exact"),
        ("Marlow", "Marlow Freight GmbH", "part"),
        ("Marlow Freight", "Freight", "part"),
        ("Halvorsen", "Halvorson", "near"),
        ("Halvorsen Shipping", "Halvorson Shipping AS", "near"),
        ("Berg", "Bern", ""),
        ("Anna Berg", "Anna Lund", ""),
        ("Winterberg AG", "Dorset Paper AG", ""),
        ("AG", "Dorset Paper AG", ""),
    ],
)
def test_names_are_compared_without_their_legal_forms(ties: Ties, name: str, other: str, likeness: Likeness) -> None:
    assert ties.like(name, other) == ties.like(other, name) == likeness


@pytest.mark.parametrize(("name", "letters"), [("H", 1), ("H.", 1), ("?!", 0), ("3M", 2), ("H Ltd", 1)])
def test_a_name_is_told_by_its_letters_and_digits(ties: Ties, name: str, letters: int) -> None:
    assert ties.letters(name) == letters


def test_only_relations_that_say_so_are_looked_along(ties: Ties) -> None:
    looked = {"HAS_CONFLICT_WITH", "FIRM_ACTS_FOR", "HAS_WAIVED_CONFLICT", "BOUND_BY", "ENGAGED_FOR", "HAS_INTEREST_IN"}
    assert set(ties.searched) == looked
    assert set(ties.relations) == {*looked, "IS_CALLED"}
