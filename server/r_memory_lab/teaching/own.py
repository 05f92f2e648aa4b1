"""Teaches a domain of one's own without torch: new heads over the encoder that ships, which stays as it is.

    r-memory teach --schema NAME --corpus DIR

The lines are `DIR/NAME/*.jsonl`. The layers that all domains share are kept; words that may be things, relations,
statuses and persons are linear maps that scikit-learn finds. Attributes and closed values are not taught. The figures
are cross-validated: each line is read by heads that did not see it. A corpus is checked by `lint.py`.
"""

import random
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from r_memory.domain.schema import Schema
from r_memory.errors import ConfigurationError
from r_memory.reading.taught.claims import Person
from r_memory.reading.taught.encoder import OnnxEncoder, WordPieces
from r_memory.reading.taught.heads import DISTANCES, SHARED, Arrays, Heads, LinearMap, read_arrays, span_features
from r_memory.reading.taught.pieces import Vectors
from r_memory.reading.taught.reader import TaughtReader
from r_memory.reading.taught.weights import ENCODER, HEADS, SHIPPED, TOKENIZER, Labels
from r_memory_lab.teaching.calibration import JudgedClaim, claims_of, cooled, plain_labels, temperatures, thresholds
from r_memory_lab.teaching.corpus import CorpusLine
from r_memory_lab.teaching.domains import STATUSES, Domain
from r_memory_lab.teaching.evaluation import ReaderFigures, figures, scored
from r_memory_lab.teaching.examples import IGNORED, Taught, TrainingExample, example, negatives
from r_memory_lab.teaching.folder import write_labels

FOLDS = 5
FEWEST = 50
"""Least lines for training, as a fold would otherwise have hardly any line of a relation."""
_NEGATIVES = 3
"""Unmarked spans of a line that state nothing, in addition to the marked ones."""
_STRENGTH = 0.3
"""Inverse regularisation of a map; chosen from .1, .3 and 1 without held-out lines."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class EncodedLine:
    """A line with the encoder's vectors."""

    line: CorpusLine
    example: TrainingExample
    vectors: Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """The result of training."""

    arrays: Arrays
    labels: Labels
    figures: ReaderFigures
    """Figures of lines that the heads were not trained on."""


def domain_of(schema: Schema) -> Domain:
    """Returns what the lines of a schema may state: its relations, of the subject, a relative or another person."""
    own = schema.subject.casefold()
    stated = [relation for relation in schema.relations.values() if not relation.derived]
    return Domain(
        name=schema.name,
        speakers=(own, "professional", "relative", "note"),
        persons={own: Person.SUBJECT, "family": Person.RELATIVE, "other": Person.OTHER},
        relations={relation.name: relation.name for relation in stated},
        attributes=(),
        classes={},
        risks=frozenset(relation.name for relation in stated if relation.critical),
    )


def teach(lines: Sequence[CorpusLine], domain: Domain, folder: Path = SHIPPED) -> Lesson:
    """Returns heads for the lines, with cross-validated thresholds and figures.

    Raises:
        ConfigurationError: there are too few lines.
    """
    if len(lines) < FEWEST:
        raise ConfigurationError(f"{len(lines)} lines teach nothing; write {FEWEST} at least, better 300")
    encoder = OnnxEncoder(folder / ENCODER, WordPieces(folder / TOKENIZER))
    shared = read_arrays(folder / HEADS)
    seen = [_seen(line, encoder) for line in lines]
    random.Random(1).shuffle(seen)
    folds = [seen[number::FOLDS] for number in range(FOLDS)]
    rest = [[item for other in folds if other is not fold for item in other] for fold in folds]
    taught = [_heads(others, domain, shared) for others in rest]

    def reader(arrays: Arrays, labels: Labels) -> TaughtReader:
        return TaughtReader(labels, lambda: (encoder, Heads(arrays, labels)), least=0)

    cold = plain_labels(domain)
    judged: list[JudgedClaim] = []
    for arrays, fold in zip(taught, folds, strict=True):
        judged += claims_of(reader(arrays, cold), [item.line for item in fold])
    heat = temperatures(judged)
    labels = plain_labels(domain, heat, thresholds(tuple(cooled(judged, heat)), domain))
    results = [
        result
        for arrays, fold in zip(taught, folds, strict=True)
        for result in scored(reader(arrays, labels), [item.line for item in fold], labels.thresholds)
    ]
    return Lesson(arrays=_heads(seen, domain, shared), labels=labels, figures=figures(results, labels.thresholds))


def write(lesson: Lesson, out: Path, folder: Path = SHIPPED) -> None:
    """Writes a folder of weights for the domain, as `r_memory` reads it below a home."""
    out.mkdir(parents=True, exist_ok=True)
    for name in (ENCODER, TOKENIZER):
        shutil.copyfile(folder / name, out / name)
    halves = {name: array.astype(np.float16) for name, array in lesson.arrays.items()}
    np.savez(out / HEADS, allow_pickle=False, **halves)
    write_labels({lesson.labels.domain: lesson.labels}, out, version="own")


def _seen(line: CorpusLine, encoder: OnnxEncoder) -> EncodedLine:
    made = example(line, encoder)
    return EncodedLine(line=line, example=made, vectors=encoder.vectors(made.ids, made.second))


def _heads(seen: Sequence[EncodedLine], domain: Domain, shared: Arrays) -> Arrays:
    layers = {name: LinearMap(weight=shared[f"{name}.weight"], bias=shared[f"{name}.bias"]) for name in SHARED}
    spans = [(line, taught) for line in seen for taught in _spans(line)]
    features = np.concatenate([span_features(span.vectors, [taught.span]) for span, taught in spans])
    read, stance = (np.maximum(layers[name](features), 0) for name in ("relation", "stance"))
    many = len(domain.relations)
    stated = np.asarray([[number in taught.relations for number in range(many)] for _, taught in spans])
    own = {
        "tags": _tags(seen),
        "relations": _joined([_map(read, column) for column in (*stated.T, ~stated.any(axis=1))]),
        "statuses": _of_each(stance, spans, "statuses", len(STATUSES), many),
        "persons": _of_each(stance, spans, "persons", len(domain.persons), many),
        "details": _blank(1, features.shape[1] // 4),
        "binding": _blank(0, layers["thing"].weight.shape[0]),
    }
    arrays = {name: array for name, array in shared.items() if name.partition(".")[0] in SHARED}
    for name, layer in own.items():
        arrays[f"{domain.name}.{name}.weight"], arrays[f"{domain.name}.{name}.bias"] = layer.weight, layer.bias
    arrays[f"{domain.name}.distance"] = np.zeros((0, 2 * DISTANCES + 1), dtype=np.float32)
    return arrays


def _spans(one: EncodedLine) -> tuple[Taught, ...]:
    """Returns the marked spans, and some others that state nothing; deterministic."""
    chance = random.Random(one.line.number)
    return (*one.example.taught, *negatives(one.example, many=_NEGATIVES, chance=chance))


def _tags(seen: Sequence[EncodedLine]) -> LinearMap:
    """Returns the map for the first piece of each word: outside, at the beginning or inside of a thing."""
    judged = [(line.vectors[at], tag) for line in seen for at, tag in enumerate(line.example.things) if tag != IGNORED]
    return _map(np.stack([vector for vector, _ in judged]), np.asarray([tag for _, tag in judged]), classes=3)


def _of_each(
    stance: Vectors, spans: Sequence[tuple[EncodedLine, Taught]], name: str, classes: int, relations: int
) -> LinearMap:
    """Returns one map for all relations, repeated for each, as a small corpus has too few cases of each."""
    cases = [(row, value) for row, (_, taught) in enumerate(spans) for value in getattr(taught, name)]
    layer = _map(stance[[row for row, _ in cases]], np.asarray([value for _, value in cases]), classes=classes)
    return _joined([layer] * relations)


def _map(features: Vectors, values: npt.NDArray[np.generic], classes: int = 1) -> LinearMap:
    """Returns the linear map to the log odds of the values; a value in no line gets the least odds."""
    values = values.astype(int)
    shown = np.unique(values)
    weight = np.zeros((max(classes, 1), features.shape[1]), dtype=np.float32)
    bias = np.full(max(classes, 1), -8.0, dtype=np.float32)
    if len(shown) < 2:
        bias[shown[0] if classes > 1 else 0] = 8.0 if classes > 1 or shown[0] else -8.0
        return LinearMap(weight=weight, bias=bias)
    found = LogisticRegression(C=_STRENGTH, max_iter=300).fit(features, values)
    if classes == 1:
        return LinearMap(weight=found.coef_.astype(np.float32), bias=found.intercept_.astype(np.float32))
    if len(shown) == 2:  # scikit-learn gives one row for two
        weight[shown[1]], bias[shown[1]], bias[shown[0]] = found.coef_[0], found.intercept_[0], 0.0
    else:
        weight[shown], bias[shown] = found.coef_, found.intercept_
    return LinearMap(weight=weight, bias=bias)


def _joined(layers: Sequence[LinearMap]) -> LinearMap:
    return LinearMap(
        weight=np.concatenate([layer.weight for layer in layers]),
        bias=np.concatenate([layer.bias for layer in layers]),
    )


def _blank(outputs: int, inputs: int) -> LinearMap:
    return LinearMap(weight=np.zeros((outputs, inputs), dtype=np.float32), bias=np.zeros(outputs, dtype=np.float32))
