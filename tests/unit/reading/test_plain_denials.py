"""What a caller's reading may deny as a whole kind: plain words do, idioms and exceptions do not."""

from functools import cache

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.schema import Schema
from r_memory.reading.plain_denials import Beside, PlainDenials


@cache
def _schema(name: str) -> Schema:
    return load_schema(Files(), name)


def _denies(domain: str, relation: str, words: str) -> bool:
    schema = _schema(domain)
    return bool(PlainDenials(schema).denied(words, schema.relations[relation]))


@pytest.mark.parametrize(
    "words",
    [
        "Allergies? None at all.",
        "Allergies: he has none.",
        "Any allergies, no.",
        "Allergies? Nope.",
        "Not a single allergy, the kettle is on.",
        "She has never had a reaction to any medicine.",
        "There is nothing he reacts to.",
        "I'm not allergic to a thing.",
        "Allergies checked, none.",
        "Asked about allergies on the phone, she says none.",
        "No allergies per mum.",
    ],
)
def test_plain_words_deny_the_kind(words: str) -> None:
    assert _denies("clinical", "HAS_ALLERGY_TO", words)


@pytest.mark.parametrize(
    "words",
    [
        "No end of allergies in this house.",
        "Not a week goes by without her allergies.",
        "My allergies never went away.",
        "No allergies but nuts.",
        "No allergies, only hay fever.",
        "No, she has allergies.",
        "I was never without an allergy.",
        "Nobody ever asked me about allergies.",
        "No allergies checked.",
        "No allergies, maybe.",
        "Mum says her sister has no allergies.",
        "I haven't been tested for allergies.",
        "Allergies, yes, penicillin.",
        "Allergies are her thing.",
        "None of your business.",
    ],
)
def test_an_idiom_an_exception_or_another_word_does_not(words: str) -> None:
    assert not _denies("clinical", "HAS_ALLERGY_TO", words)


@pytest.mark.parametrize("words", ["No other allergies.", "Apart from that no allergies.", "Allergic to nothing else."])
def test_beside_a_risk_of_the_same_call_all_else_is_denied(words: str) -> None:
    schema = _schema("clinical")
    denials, relation = PlainDenials(schema), schema.relations["HAS_ALLERGY_TO"]

    assert denials.denied(words, relation, Beside(rest=True)) == {"any"}
    assert denials.denied(words, relation) == frozenset()


@pytest.mark.parametrize(
    ("words", "scopes"),
    [
        ("No allergies to food or medicines.", {"any_food", "any_drug"}),
        ("No trouble with any tablets.", {"any_drug"}),
        ("Every medicine is fine.", {"any_drug"}),
        ("No allergies.", {"any"}),
        ("No allergies and he sleeps like a log.", {"any"}),
        ("Every food is fine and I've no trouble with tablets.", {"any_food", "any_drug"}),
        ("No allergies and she gets a reaction to plasters.", set()),
        ("The food here is fine.", set()),
        ("No trouble at all.", set()),
        ("No trouble getting tablets.", set()),
    ],
)
def test_only_the_scopes_that_the_words_name_are_denied(words: str, scopes: set[str]) -> None:
    schema = _schema("clinical")
    assert PlainDenials(schema).denied(words, schema.relations["HAS_ALLERGY_TO"]) == scopes


@pytest.mark.parametrize(
    ("words", "denies"),
    [
        ("No allergies, and the heart tablets never bothered her.", True),
        ("No allergies, the heart tablets are fine.", True),
        ("No allergies, and no end of trouble with the heart tablets.", False),
        ("No allergies, and the heart tablets bothered her.", False),
        ("No allergies, and not a tablet goes down without trouble.", False),
        ("No allergies, the heart tablets maybe bother her.", False),
        ("No allergies, the heart tablets are hardly fine.", False),
        ("No allergies, nobody knows whether tablets bother her.", False),
    ],
)
def test_a_further_clause_of_the_kind_takes_no_denial_back_if_it_is_calm(words: str, denies: bool) -> None:
    assert _denies("clinical", "HAS_ALLERGY_TO", words) is denies


@pytest.mark.parametrize(
    ("words", "scopes"),
    [
        ("Apart from the wasps I'm not allergic to anything.", {"any"}),
        ("Wasps are the only thing, other tablets are fine.", {"any_drug"}),
        ("Apart from the berries I'm not allergic to anything.", set()),
        ("Apart from the wasps and berries I'm not allergic to anything.", set()),
        ("Wasps and berries are the only things, other tablets are fine.", set()),
        ("Wasps are not the only thing, other tablets are fine.", set()),
        ("The other tablets are fine.", set()),
        ("Most other tablets are fine.", set()),
        ("Nothing but wasps and rain.", set()),
    ],
)
def test_an_exception_of_a_told_risk_alone_is_none(words: str, scopes: set[str]) -> None:
    schema = _schema("clinical")
    beside = Beside(rest=True, risks={"wasps"})
    assert PlainDenials(schema).denied(words, schema.relations["HAS_ALLERGY_TO"], beside) == scopes


@pytest.mark.parametrize("name", ["", "Marlowe"])
def test_a_name_may_stand_in_a_denial_if_it_is_the_subjects(name: str) -> None:
    schema = _schema("law")
    beside = Beside(names={name.casefold()})
    denied = PlainDenials(schema).denied("No conflict on Marlowe.", schema.relations["HAS_CONFLICT_WITH"], beside)
    assert bool(denied) == bool(name)


def test_a_kind_may_have_words_of_its_own_that_deny_it() -> None:
    assert _denies("law", "HAS_CONFLICT_WITH", "The conflict search came back clear.")
    assert not _denies("law", "HAS_CONFLICT_WITH", "No conflict search yet.")
    assert not _denies("law", "HAS_CONFLICT_WITH", "The conflict search is not clear.")


def test_a_relation_without_such_words_is_never_denied_so() -> None:
    assert not _denies("clinical", "TAKES", "No medicines at all.")


@pytest.mark.parametrize(
    ("words", "scopes"),
    [
        ("It's the only thing she reacts to.", {"any"}),
        ("Those were her only allergies.", {"any"}),
        ("That's the only drug he's allergic to, touch wood.", {"any_drug"}),
        ("That's not the only thing she reacts to.", set()),
        ("That's the only thing she reacts to at night.", set()),
        ("That's only an allergy.", set()),
        ("Wasps are the only thing she's allergic to.", {"any"}),
        ("Bees are the only thing she's allergic to.", set()),
        ("Nothing else that I know of.", {"any"}),
        ("Nothing else in the fridge.", set()),
        ("Not much else.", set()),
        ("Nothing else yet.", set()),
    ],
)
def test_what_is_told_right_before_may_be_the_only_one(words: str, scopes: set[str]) -> None:
    schema = _schema("clinical")
    relation, denials = schema.relations["HAS_ALLERGY_TO"], PlainDenials(schema)
    beside = Beside(rest=True, near=True, risks={"wasps"})
    assert denials.denied(words, relation, beside) == scopes
    assert not denials.denied(words, relation)
