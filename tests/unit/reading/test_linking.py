"""Terms are found exactly wherever they stand, and misspelt only where a name is expected."""

import pytest

from r_memory.domain.schema import Lexicon
from r_memory.reading.linking import Gazetteer

SUBSTANCES = ("DrugClass", "Drug", "Food", "Material")


def names(gazetteer: Gazetteer, text: str) -> list[str]:
    return [mention.name for mention in gazetteer.mentions(text)]


def test_longest_term_wins() -> None:
    gazetteer = Gazetteer(Lexicon(terms={"Drug": {"contrast": (), "iodinated contrast": ("iv contrast",)}}))
    assert names(gazetteer, "iv contrast") == ["iodinated contrast"]


def test_mention_carries_the_words_and_where_they_stand(gazetteer: Gazetteer) -> None:
    text = "Took co\N{NON-BREAKING HYPHEN}amoxiclav."
    mention = gazetteer.mentions(text)[0]
    assert (mention.type, mention.name) == ("Drug", "amoxicillin-clavulanate")
    assert text[mention.start : mention.end] == mention.surface == "co\N{NON-BREAKING HYPHEN}amoxiclav"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("history of MI", ["myocardial infarction"]),
        ("mi casa", []),
        ("allergic to N S A I D", ["NSAID"]),
        ("beta-blockers and beta blockers", ["beta blocker", "beta blocker"]),
        ("two pacemakers", ["pacemaker"]),
        ("PENICILLIN, Penicillin and penicillin", ["penicillin", "penicillin", "penicillin"]),
        ("PCN->hives", ["penicillin", "hives"]),
        ("amox/clav", ["amoxicillin-clavulanate"]),
        ("statinlike", []),
        ("aspiring to go to the station later", []),
    ],
)
def test_terms_are_found_in_every_usual_spelling_and_nowhere_else(
    gazetteer: Gazetteer, text: str, expected: list[str]
) -> None:
    assert names(gazetteer, text) == expected


@pytest.mark.proves("Z04")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("penicillin", ["penicillin"]),
        ("pennicilin", ["penicillin"]),
        ("penecillin", ["penicillin"]),
        ("cephalexn", ["cephalexin"]),
        ("ibuprofin", ["ibuprofen"]),
        ("hydroxzine", ["hydroxyzine"]),
        ("hydralzine", ["hydralazine"]),
        ("prednisone", ["prednisone"]),
        ("prednisolone", ["prednisolone"]),
        ("aspirine", ["aspirin"]),
        ("latx", []),
        ("zenicillin", []),
        ("zyloflurane", []),
        ("", []),
    ],
)
def test_only_near_spellings_of_long_names_are_resolved(gazetteer: Gazetteer, words: str, expected: list[str]) -> None:
    assert [mention.name for mention in gazetteer.resolve(words, SUBSTANCES)] == expected


@pytest.mark.proves("Z04")
def test_spelling_as_near_to_two_terms_gives_both() -> None:
    gazetteer = Gazetteer(Lexicon(terms={"Drug": {"celebrex": (), "cerebyx": (), "celerex": ()}}))
    assert {mention.name for mention in gazetteer.resolve("celexrex", ("Drug",))} == {"celebrex", "celerex"}


def test_terms_of_other_types_are_not_resolved(gazetteer: Gazetteer) -> None:
    assert gazetteer.resolve("pacemaker", SUBSTANCES) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Buy Shell for the dividend", ["shell plc"]), ("a shell company", []), ("SHELL plc", ["shell plc"])],
)
def test_a_name_that_is_an_everyday_word_is_found_with_its_capital_only(text: str, expected: list[str]) -> None:
    gazetteer = Gazetteer(Lexicon(terms={"Company": {"shell plc": ("Shell",)}}))

    assert names(gazetteer, text) == expected
    assert [mention.name for mention in gazetteer.resolve("shell", ["Company"])] == ["shell plc"]
