"""Our own fitting finds the weights that scikit-learn finds, so that the product need not bring it along."""

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from r_memory.config.files import Files
from r_memory.config.loading import load_domain
from r_memory.reading.actions import training
from r_memory.reading.actions.linear import vector
from r_memory.text.fitting import Numbers, least
from r_memory_talk.controller import learning
from tests.unit.reading.actions.exact_linker import ExactLinker


@pytest.fixture
def regression() -> Any:  # noqa: ANN401 - comes without types
    """Theirs; imported late, as every process of the tests reads this file: it takes a second."""
    return import_module("sklearn.linear_model").LogisticRegression


def test_a_table_of_actions_is_learnt_as_scikit_learn_learns_it(regression: Any) -> None:  # noqa: ANN401 - as above
    """Of a third of that of law: more took longer and was learnt no otherwise."""
    loaded = load_domain(Files(), "law")
    examples = training._examples(loaded.intents, loaded.schema, ExactLinker(loaded.schema))[::3]
    labels = tuple(dict.fromkeys(example.label for example in examples))
    truth = np.array([labels.index(example.label) for example in examples])
    model = training._fitted(examples, labels)
    rows = np.zeros((len(examples), len(model.vocabulary)))
    for line, example in enumerate(examples):
        at, values = vector(example.counted, model.vocabulary, model.rarity)
        rows[line, at] = values

    theirs = regression(C=training.INVERSE_PENALTY, max_iter=1000, tol=1e-8).fit(rows, truth)

    assert np.allclose(theirs.predict_proba(rows), _chances(rows @ model.weights + model.bias), atol=1e-4)


def test_a_yes_or_no_is_learnt_as_scikit_learn_learns_it(regression: Any) -> None:  # noqa: ANN401 - as above
    chance = np.random.default_rng(7)
    rows, truth = chance.normal(size=(60, 90)), (chance.random(60) > 0.6).astype(np.float64)
    rows = np.hstack([rows, np.ones((60, 1))])

    ours = learning._regression(rows, truth)

    theirs = regression(C=learning._INVERSE_PENALTY, fit_intercept=False, solver="liblinear", tol=1e-8)
    theirs.fit(rows, truth)
    assert np.allclose(theirs.coef_[0], ours, atol=1e-4)


def test_the_bottom_of_a_narrow_valley_is_found() -> None:
    curvature = np.array([1.0, 1e4])

    def valley(at: Numbers) -> tuple[float, Numbers]:
        return float(curvature @ (at - 3) ** 2 / 2), curvature * (at - 3)

    assert np.allclose(least(valley, np.zeros(2)), [3.0, 3.0])


def _chances(scores: Numbers) -> Numbers:
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances: Numbers = raised / raised.sum(axis=1, keepdims=True)
    return chances
