"""The suite `negex`: what the shipped rules say of given words, and the scores, on sentences of our own."""

import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory_lab.evals.measures import share
from r_memory_lab.evals.negex import ConditionSentence, NegexPrediction, RuleReader, outcome


@pytest.fixture(scope="module")
def reader() -> RuleReader:
    return RuleReader(load_domain(Files(home=None), "clinical").schema)


def item(sentence: str, words: str = "", id_: int = 1, **classes: str) -> ConditionSentence:
    start = sentence.find(words) if words else -1
    said = {"negation": "affirmed", "temporality": "recent", "experiencer": "patient", **classes}
    return ConditionSentence.model_validate(
        {"id": id_, "sentence": sentence, "start": start, "end": start + len(words) if words else -1, **said}
    )


@pytest.mark.parametrize(
    ("sentence", "words", "classes"),
    [
        ("There is a small effusion.", "effusion", ()),
        ("There is no effusion.", "effusion", ("negated",)),
        ("He denies wheezing but has a cough.", "cough", ()),
        ("Come back if a fever develops.", "fever", ("hypothetical",)),
        ("Her sister has epilepsy.", "epilepsy", ("other",)),
    ],
)
def test_the_rules_are_asked_about_the_words_at_the_place(
    reader: RuleReader, sentence: str, words: str, classes: tuple[str, ...]
) -> None:
    assert reader.read(item(sentence, words)).classes == frozenset(classes)


def test_words_that_do_not_stand_in_the_sentence_are_taken_as_they_are(reader: RuleReader) -> None:
    assert reader.read(item("There is no effusion.")) == NegexPrediction(id="1")


def test_numbers_serve_as_ids() -> None:
    assert item("There is no effusion.", "effusion", id_=17).id == "17"


def test_each_class_is_scored_alone_and_all_together() -> None:
    items = [
        item("a", "a", 1, negation="negated"),
        item("b", "b", 2, negation="negated", temporality="historical"),
        item("c", "c", 3, experiencer="other"),
        item("d", "d", 4),
    ]
    said = [
        NegexPrediction(id="1", negated=True),
        NegexPrediction(id="2", historical=True),
        NegexPrediction(id="4", negated=True),
    ]
    result = outcome(items, said)
    figures = {figure.name: figure for figure in result.figures}
    assert figures["negated: precision"] == share("negated: precision", 1, 2)
    assert figures["negated: recall"] == share("negated: recall", 1, 2)
    assert figures["historical: recall"] == share("historical: recall", 1, 1)
    assert figures["other: recall"] == share("other: recall", 0, 1)
    assert figures["hypothetical: recall"].n == 0
    assert figures["all classes right"] == share("all classes right", 1, 4)
    assert figures["negated: F1"].aim == ">= .93"
    assert {title: ids for title, ids in result.details.items() if ids} == {
        "negated: missed": ["2"],
        "negated: wrong": ["4"],
        "other: missed": ["3"],
    }
