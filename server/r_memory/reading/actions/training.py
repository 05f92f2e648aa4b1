"""Finds the weights of the linear model from the table's own examples.

Here and not in the lab, as whoever edits `intents.yaml` has taught it new examples. Deterministic. The temperature
comes from cross-validation, so that a probability means on unseen requests what it says.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # ships no types

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema
from r_memory.protocols import Linker
from r_memory.reading.actions.classifier import tags
from r_memory.reading.actions.keywords import compiled, plain
from r_memory.reading.actions.linear import Block, Floats, LinearModel, blocks, vector
from r_memory.text.fitting import least

INVERSE_PENALTY = 10.0
"""`C` of the regression; held-out accuracy on the clinical table is flat from 1 to 100 (.805 to .831)."""
FOLDS = 5
_NOTHING = 1e-9
_TEMPERATURES = np.geomspace(0.1, 5.0, 161)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Example:
    label: str
    counted: tuple[Block, ...]


def trained(table: IntentTable, schema: Schema, linker: Linker) -> LinearModel | None:
    """Trains the model on the table's examples.

    `None` if fewer than two action types have examples.
    """
    examples = _examples(table, schema, linker)
    labels = tuple(dict.fromkeys(example.label for example in examples))
    if len(labels) < 2:
        return None
    # One thread: for matrices this small the threads wait for each other (8 s against .7 on a busy machine, measured).
    with threadpool_limits(limits=1):
        scores = _held_out_scores(examples, labels)
        model = _fitted(examples, labels)
    if scores is None:
        return model
    truth = _truth(examples, labels)
    surprise = [-_log_probabilities(scores / t)[np.arange(len(truth)), truth].mean() for t in _TEMPERATURES]
    return replace(model, temperature=float(_TEMPERATURES[int(np.argmin(surprise))]))


def _truth(examples: Sequence[_Example], labels: tuple[str, ...]) -> NDArray[np.int64]:
    return np.array([labels.index(example.label) for example in examples])


def _examples(table: IntentTable, schema: Schema, linker: Linker) -> list[_Example]:
    keywords = compiled(table, schema)
    found: list[_Example] = []
    for name, intent in table.intents.items():
        for sentence in intent.examples:
            text, mentions = plain(sentence), linker.mentions(sentence)
            hits = {other: words.hits(text, mentions) for other, words in keywords.items()}
            found.append(_Example(label=name, counted=blocks(text, tags(mentions, hits))))
    return found


def _fitted(examples: Sequence[_Example], labels: tuple[str, ...]) -> LinearModel:
    seen = Counter(feature for example in examples for block in example.counted for feature in block)
    vocabulary = {feature: row for row, feature in enumerate(sorted(seen))}
    rarity = np.array([log((1 + len(examples)) / (1 + seen[feature])) + 1 for feature in vocabulary])
    matrix = np.zeros((len(examples), len(vocabulary)))
    for line, example in enumerate(examples):
        rows, values = vector(example.counted, vocabulary, rarity)
        matrix[line, rows] = values
    weights, bias = _regression(matrix, _truth(examples, labels), len(labels))
    return LinearModel(
        labels=labels,
        vocabulary=vocabulary,
        rarity=rarity,
        weights=weights,
        bias=bias,
        temperature=1.0,
    )


def _regression(matrix: Floats, truth: NDArray[np.int64], labels: int) -> tuple[Floats, Floats]:
    """Weights per feature and label, and the biases, which are not penalised.

    The examples span few of the features' dimensions and the penalty does not change under rotation, so the fit in the
    examples' own space is the same fit in a fraction of the time.
    """
    squares, axes = np.linalg.eigh(matrix @ matrix.T)
    spanned = squares > _NOTHING
    lengths, axes = np.sqrt(squares[spanned]), axes[:, spanned]
    rows, aim = axes * lengths, np.eye(labels)[truth]
    # Two labels are one question, whose weights are told twice here and must not be penalised less for it.
    penalty = (2 if labels == 2 else 1) / INVERSE_PENALTY
    shape = (rows.shape[1] + 1, labels)

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        surprise = _log_probabilities(rows @ weights[:-1] + weights[-1])
        wrong = np.exp(surprise) - aim
        slope = np.vstack([rows.T @ wrong + penalty * weights[:-1], wrong.sum(axis=0)])
        return float(penalty / 2 * (weights[:-1] ** 2).sum() - surprise[aim > 0].sum()), slope.ravel()

    found = least(loss, np.zeros(shape[0] * shape[1])).reshape(shape)
    return matrix.T @ (axes / lengths) @ found[:-1], found[-1]


def _held_out_scores(examples: Sequence[_Example], labels: tuple[str, ...]) -> Floats | None:
    """Scores of each example under a model that has not seen it; `None` if there are too few examples."""
    truth = _truth(examples, labels)
    folds = min(FOLDS, int(np.bincount(truth).min()))
    if folds < 2:
        return None
    scores = np.zeros((len(examples), len(labels)))
    dealt = _dealt(truth, folds)
    for fold in range(folds):
        model = _fitted([example for example, item in zip(examples, dealt, strict=True) if item != fold], labels)
        for index in np.flatnonzero(dealt == fold).tolist():
            rows, values = vector(examples[index].counted, model.vocabulary, model.rarity)
            scores[index] = values @ model.weights[rows] + model.bias
    return scores


def _dealt(truth: NDArray[np.int64], folds: int) -> NDArray[np.int64]:
    """Returns the fold of each example; each label is spread evenly, with a fixed seed."""
    chance = np.random.default_rng(0)
    dealt = np.zeros(len(truth), dtype=np.int64)
    order = chance.permutation(len(truth))
    order = order[np.argsort(truth[order], kind="stable")]
    dealt[order] = np.arange(len(truth)) % folds
    return dealt


def _log_probabilities(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=1, keepdims=True)
    result: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return result
