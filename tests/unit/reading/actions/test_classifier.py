"""Keywords and model joined: what is opened, what counts as not recognised, and that a failure is an answer."""

import logging

import pytest

from r_memory.domain.intents import Classification, IntentScore, Policy, opened
from r_memory.protocols import Mention
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.actions.linear import LinearModel
from r_memory.reading.actions.training import trained
from tests.unit.reading.actions.exact_linker import ExactLinker
from tests.unit.reading.actions.tables import CHAT, CLEAN, KITCHEN, SCHEMA, SERVE, intent, table

LINKER = ExactLinker(SCHEMA)


@pytest.fixture(scope="module")
def model() -> LinearModel:
    learnt = trained(KITCHEN, SCHEMA, LINKER)
    assert learnt is not None
    return learnt


def classified(query: str, model: LinearModel | None) -> Classification:
    return KeywordsAndLinear(KITCHEN, SCHEMA, model).classify(query, LINKER.mentions(query))


def test_every_action_type_is_scored_best_first_and_probabilities_add_up(model: LinearModel) -> None:
    scores = classified("please serve the broth", model).scores

    assert next(score.name for score in scores) == "SERVE"
    assert {score.name for score in scores} == {"SERVE", "CLEAN", "CHAT"}
    assert sum(score.probability for score in scores) == pytest.approx(1)
    assert [score.probability for score in scores] == sorted((s.probability for s in scores), reverse=True)
    assert scores[0].keywords == ("serve", "broth")


@pytest.mark.proves("RM-19", "Z25")
def test_a_request_with_two_actions_opens_both(model: LinearModel) -> None:
    rows = opened(classified("serve the soup, then wash the plates", model), KITCHEN, critical=()).intents

    assert {row.name for row in rows} == {"SERVE", "CLEAN"}


def test_a_keyword_opens_its_row_without_any_model() -> None:
    classification = classified("wipe everything", None)

    assert classification.scores[0] == IntentScore(name="CLEAN", probability=0.0, keywords=("wipe",), asked=True)
    assert classification.recognised


@pytest.mark.proves("RM-18", "Z26")
@pytest.mark.parametrize("query", ["", "   ", "zxqv jkw", "\ud800\u202e", "日本語", "\x00"])
def test_what_nothing_speaks_for_is_not_recognised(query: str) -> None:
    classification = classified(query, None)

    assert not classification.recognised
    assert opened(classification, KITCHEN, critical=("DISLIKES",)).edges == ("DISLIKES",)


@pytest.mark.parametrize("query", ["", "   ", "zxqv jkw", "\ud800\u202e", "日本語", "\x00"])
def test_no_text_makes_the_model_fail(query: str, model: LinearModel, caplog: pytest.LogCaptureFixture) -> None:
    classified(query, model)

    assert not caplog.records


def test_a_keyword_of_a_silent_row_recognises_nothing() -> None:
    assert not classified("what a weather", None).recognised


def test_below_the_threshold_of_the_policy_nothing_is_recognised(model: LinearModel) -> None:
    strict = table(SERVE, CLEAN, CHAT, policy=Policy(confident_above=0.999999))
    classifier = KeywordsAndLinear(strict, SCHEMA, model)

    assert not classifier.classify("scrub the oven", ()).recognised
    assert KeywordsAndLinear(KITCHEN, SCHEMA, model).classify("scrub the oven", ()).recognised


def test_an_action_type_without_examples_is_found_by_its_keywords(model: LinearModel) -> None:
    travel = table(SERVE, CLEAN, CHAT, intent("TRAVEL_ADVICE", keywords=("trip",)))

    scores = KeywordsAndLinear(travel, SCHEMA, model).classify("plan a trip", ()).scores

    assert IntentScore(name="TRAVEL_ADVICE", probability=0.0, keywords=("trip",), asked=True) in scores


@pytest.mark.proves("RM-18")
def test_a_failure_is_not_recognised_names_its_kind_and_no_words(
    model: LinearModel, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("secret words")

    monkeypatch.setattr(LinearModel, "probabilities", fail)

    with caplog.at_level(logging.DEBUG):
        classification = classified("serve the soup", model)

    assert not classification.recognised
    assert {score.name for score in classification.scores} == {"SERVE", "CLEAN", "CHAT"}
    assert [record.message for record in caplog.records] == ["Classifier failed"]
    assert "secret" not in caplog.text
    assert opened(classification, KITCHEN, critical=("DISLIKES",)).edges == ("DISLIKES",)


def test_mentions_count_for_the_model_as_types(model: LinearModel) -> None:
    text = "bring zzz"
    mention = Mention(type="Dish", name="soup", start=6, end=9, surface="zzz")
    classifier = KeywordsAndLinear(KITCHEN, SCHEMA, model)

    without, with_ = classifier.classify(text, ()), classifier.classify(text, (mention,))

    serve = {c: next(s.probability for s in c.scores if s.name == "SERVE") for c in (without, with_)}
    assert serve[with_] > serve[without]
