"""What a caller's reading may deny as a whole kind: plain words do, idioms and exceptions do not."""

from functools import cache

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.schema import Schema
from r_memory.reading.plain_denials import PlainDenials


@cache
def _schema(name: str) -> Schema:
    return load_schema(Files(), name)


def _denies(domain: str, relation: str, words: str) -> bool:
    schema = _schema(domain)
    return PlainDenials(schema).denies(words, schema.relations[relation])


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

    assert denials.denies(words, relation, beside_a_risk=True)
    assert not denials.denies(words, relation)


def test_a_kind_may_have_words_of_its_own_that_deny_it() -> None:
    assert _denies("law", "HAS_CONFLICT_WITH", "The conflict search came back clear.")
    assert not _denies("law", "HAS_CONFLICT_WITH", "No conflict search yet.")
    assert not _denies("law", "HAS_CONFLICT_WITH", "The conflict search is not clear.")


def test_a_relation_without_such_words_is_never_denied_so() -> None:
    assert not _denies("clinical", "TAKES", "No medicines at all.")
