"""Training on the table's own examples: deterministic, calibrated, and good enough on the clinical table."""

from dataclasses import replace

import numpy as np
import pytest

from r_memory.config.files import Files
from r_memory.config.loading import Loaded, load_domain
from r_memory.domain.intents import opened
from r_memory.reading.actions.classifier import KeywordsAndLinear
from r_memory.reading.actions.linear import LinearModel, blocks
from r_memory.reading.actions.training import trained
from tests.unit.reading.actions.exact_linker import ExactLinker
from tests.unit.reading.actions.tables import KITCHEN, SCHEMA, intent, table

LINKER = ExactLinker(SCHEMA)


@pytest.fixture(scope="module")
def clinical() -> Loaded:
    return load_domain(Files(), "clinical")


@pytest.fixture(scope="module")
def learnt(clinical: Loaded) -> LinearModel:
    model = trained(clinical.intents, clinical.schema, ExactLinker(clinical.schema))
    assert model is not None
    return model


def test_the_same_examples_give_the_same_model() -> None:
    first, second = trained(KITCHEN, SCHEMA, LINKER), trained(KITCHEN, SCHEMA, LINKER)

    assert first is not None
    assert second is not None
    assert np.array_equal(first.weights, second.weights)
    assert first.temperature == second.temperature
    assert first.vocabulary == second.vocabulary


def test_a_table_with_examples_of_one_action_type_needs_no_model() -> None:
    assert trained(table(intent("A", examples=("one", "two")), intent("B")), SCHEMA, LINKER) is None


def test_too_few_examples_are_learnt_without_calibration() -> None:
    model = trained(table(intent("A", examples=("one",)), intent("B", examples=("two",))), SCHEMA, LINKER)

    assert model is not None
    assert model.temperature == 1.0
    assert model.probabilities("one", ())["A"] > 0.5 > model.probabilities("two", ())["A"]


def test_two_action_types_are_told_apart() -> None:
    rows = [row for row in KITCHEN.intents.values() if row.name != "CHAT"]

    model = trained(table(*rows), SCHEMA, LINKER)

    assert model is not None
    assert model.labels == ("SERVE", "CLEAN")
    assert model.probabilities("scrub the oven", ())["CLEAN"] > 0.5


def test_features_are_words_pairs_parts_and_tags() -> None:
    words, parts, tags = blocks("the soup", ["{Dish}"])

    assert set(words) == {"the", "soup", "the soup"}
    assert set(parts) == {"# th", "#the", "#he ", "# so", "#sou", "#oup", "#up "}
    assert dict(tags) == {"{Dish}": 1}


def test_a_model_whose_parts_do_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="do not belong together"):
        LinearModel(
            labels=("A", "B"),
            vocabulary={"x": 0},
            rarity=np.ones(1),
            weights=np.ones((2, 2)),
            bias=np.zeros(2),
            temperature=1.0,
        )


def test_the_clinical_table_is_learnt_well_enough(clinical: Loaded) -> None:
    """Of the examples that it was not taught, seven in ten are right at the first guess."""
    rows = clinical.intents.intents
    taught = {
        name: replace(row, examples=tuple(text for at, text in enumerate(row.examples) if at % 5))
        for name, row in rows.items()
    }
    most = replace(clinical.intents, intents=taught)
    linker = ExactLinker(clinical.schema)
    model = trained(most, clinical.schema, linker)
    assert model is not None
    classifier = KeywordsAndLinear(most, clinical.schema, model)

    right = [
        classifier.classify(text, linker.mentions(text)).scores[0].name == name
        for name, row in rows.items()
        for text in row.examples[::5]
    ]

    assert sum(right) / len(right) >= 0.7


@pytest.mark.proves("RM-7", "Z25")
def test_every_edge_that_a_clinical_example_needs_is_read(clinical: Loaded, learnt: LinearModel) -> None:
    linker = ExactLinker(clinical.schema)
    classifier = KeywordsAndLinear(clinical.intents, clinical.schema, learnt)
    missed = [
        (name, example)
        for name, row in clinical.intents.intents.items()
        for example in row.examples
        if not set(row.edges)
        <= set(
            opened(
                classifier.classify(example, linker.mentions(example)),
                clinical.intents,
                critical=clinical.schema.critical,
            ).edges
        )
    ]

    assert missed == []


@pytest.mark.parametrize(
    "query",
    [
        "book me a table for two",
        "who won the football match",
        "play some jazz",
        "set an alarm for seven",
        "translate good morning into French",
    ],
)
def test_what_is_not_clinical_is_not_recognised(clinical: Loaded, learnt: LinearModel, query: str) -> None:
    mentions = ExactLinker(clinical.schema).mentions(query)

    classification = KeywordsAndLinear(clinical.intents, clinical.schema, learnt).classify(query, mentions)

    assert not classification.recognised
    assert opened(classification, clinical.intents, critical=clinical.schema.critical).intents == ()


@pytest.mark.proves("RM-16")
def test_the_strep_request_orders_a_drug(clinical: Loaded, learnt: LinearModel) -> None:
    query = "Patient John Doe has tested positive for Strep. Recommend the standard first-line antibiotic."
    mentions = ExactLinker(clinical.schema).mentions(query)

    classification = KeywordsAndLinear(clinical.intents, clinical.schema, learnt).classify(query, mentions)

    assert classification.recognised
    assert classification.scores[0].name == "MED_ORDER"
