"""The doubles that recall is tested with, and that are shipped for others to test with."""

import pytest

from r_memory.protocols import Mention
from tests.scripted import ScriptedClassifier, WordLinker

LINKER = WordLinker({"Drug": {"amoxicillin-clavulanate": ["Augmentin"], "amoxicillin": []}, "DrugClass": {"nsaid": []}})


def test_word_linker_takes_the_longest_whole_words_in_order() -> None:
    found = LINKER.mentions("NSAIDs? Amoxicillin-Clavulanate, amoxicillin or an nsaid; augmentin.")

    assert [(mention.type, mention.name, mention.surface) for mention in found] == [
        ("Drug", "amoxicillin-clavulanate", "Amoxicillin-Clavulanate"),
        ("Drug", "amoxicillin", "amoxicillin"),
        ("DrugClass", "nsaid", "nsaid"),
        ("Drug", "amoxicillin-clavulanate", "augmentin"),
    ]
    assert (found[1].start, found[1].end) == (33, 44)


def test_word_linker_resolves_exact_words_of_the_wanted_type_only() -> None:
    assert LINKER.resolve("AUGMENTIN", ["Drug"]) == (
        Mention(type="Drug", name="amoxicillin-clavulanate", start=0, end=9, surface="AUGMENTIN"),
    )
    assert LINKER.resolve("augmentin", ["Device"]) == ()
    assert LINKER.resolve("augmentine", ["Drug"]) == ()


def test_linker_without_words_finds_nothing() -> None:
    assert WordLinker({}).mentions("anything") == ()


def test_scripted_classifier_answers_as_told_and_remembers_the_question() -> None:
    classifier = ScriptedClassifier("A", "B", recognised=False)

    answer = classifier.classify("what?", ())

    assert ([score.name for score in answer.scores], answer.recognised) == (["A", "B"], False)
    assert classifier.asked == ["what?"]


def test_scripted_classifier_fails_as_told() -> None:
    with pytest.raises(ValueError, match="no weights"):
        ScriptedClassifier(error=ValueError("no weights")).classify("what?", ())
