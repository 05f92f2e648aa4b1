"""The heads over the encoder's vectors, in plain numpy: words that may be things, and what each of them states.

The arrays come from `heads.npz`; their names are written down here once, and training exports exactly these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from r_memory.errors import ConfigurationError
from r_memory.reading.taught.pieces import Vectors
from r_memory.reading.taught.weights import Labels

Arrays = Mapping[str, npt.NDArray[np.float32]]
DISTANCES = 16
"""Buckets for the distance in pieces between a thing and a detail, on each side."""

SHARED = ("relation", "stance", "thing", "detail")
"""Layers shared by all domains: two over a span, and two that bind details to things."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinearMap:
    """A linear map."""

    weight: npt.NDArray[np.float32]
    """One row for each output."""
    bias: npt.NDArray[np.float32]

    def __call__(self, inputs: Vectors) -> Vectors:
        """Returns one row of outputs for each row of inputs."""
        return np.asarray(inputs @ self.weight.T + self.bias, dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanScores:
    """Logits of spans, in order."""

    relations: npt.NDArray[np.float32]
    """For each span, one logit for each relation of the labels, and the last for stating nothing."""
    statuses: npt.NDArray[np.float32]
    """For each span, one row for each relation."""
    persons: npt.NDArray[np.float32]
    """For each span, one row for each relation."""
    classes: Mapping[str, npt.NDArray[np.float32]]


class Heads:
    """The heads of one domain."""

    def __init__(self, arrays: Arrays, labels: Labels) -> None:
        """Takes the layers that the labels need.

        Raises:
            ConfigurationError: a layer is missing, or its size does not fit the labels.
        """
        relations = len(labels.relations)
        sizes = {
            "tags": 3,
            "details": 1 + 2 * len(labels.attributes),
            "relations": relations + 1,
            "statuses": relations * len(labels.statuses),
            "persons": relations * len(labels.persons),
            "binding": len(labels.attributes),
            **{name: len(values) for name, values in labels.classes.items()},
        }

        def layer(name: str) -> LinearMap:
            return LinearMap(weight=arrays[f"{name}.weight"], bias=arrays[f"{name}.bias"])

        try:
            self._shared = {name: layer(name) for name in SHARED}
            self._own = {name: layer(f"{labels.domain}.{name}") for name in sizes}
            self._distance = arrays[f"{labels.domain}.distance"]
        except KeyError as error:
            raise ConfigurationError(
                f"the heads have no {error}; weights and labels are of different versions: reinstall both"
            ) from error
        for name, size in sizes.items():
            if (found := len(self._own[name].bias)) != size:
                raise ConfigurationError(
                    f"the heads have {found} outputs for {name} of {labels.domain}, the labels {size} names; "
                    "weights and labels are of different versions: reinstall both"
                )
        self._labels = labels

    def tags(self, vectors: Vectors) -> Vectors:
        """Returns for each piece the probabilities of outside, beginning and inside of a thing."""
        return softmax(self._own["tags"](vectors))

    def details(self, vectors: Vectors) -> Vectors:
        """Returns for each piece the probabilities of outside, beginning and inside of each attribute."""
        return softmax(self._own["details"](vectors))

    def spans(self, vectors: Vectors, spans: Sequence[tuple[int, int]]) -> SpanScores:
        """Returns the logits of spans of pieces; at least one span."""
        features = span_features(vectors, spans)
        read = np.maximum(self._shared["relation"](features), 0)
        stance = np.maximum(self._shared["stance"](features), 0)
        many = len(self._labels.relations)
        return SpanScores(
            relations=self._own["relations"](read),
            statuses=self._own["statuses"](stance).reshape(len(spans), many, -1),
            persons=self._own["persons"](stance).reshape(len(spans), many, -1),
            classes={name: self._own[name](stance) for name in self._labels.classes},
        )

    def bindings(
        self, vectors: Vectors, things: Sequence[tuple[int, int]], details: Sequence[tuple[int, int, int]]
    ) -> Vectors:
        """Returns one row for each thing: the probability that each detail belongs to it.

        A detail is its first piece, the piece after its last, and its attribute.
        """
        if not things or not details:
            return np.zeros((len(things), len(details)), dtype=np.float32)
        left = self._shared["thing"](span_features(vectors, things))
        right = self._shared["detail"](span_features(vectors, [(first, last) for first, last, _ in details]))
        kinds = [kind for _, _, kind in details]
        weights, bias = self._own["binding"].weight[kinds], self._own["binding"].bias[kinds]
        scores = np.einsum("th,dh,dh->td", left, right, weights) + bias
        scores += [
            [self._distance[kind, distance(thing, (first, last))] for first, last, kind in details] for thing in things
        ]
        return np.asarray(1 / (1 + np.exp(-scores)), dtype=np.float32)


def span_features(vectors: Vectors, spans: Sequence[tuple[int, int]]) -> Vectors:
    """Returns the features of each span: its first and last piece, their mean, and the whole utterance."""
    return np.stack(
        [
            np.concatenate((vectors[first], vectors[last - 1], vectors[first:last].mean(axis=0), vectors[0]))
            for first, last in spans
        ]
    )


def distance(thing: tuple[int, int], detail: tuple[int, int]) -> int:
    """Returns the bucket of the distance; 0 for `-DISTANCES` and less, above the middle for a detail behind its thing.

    >>> distance((3, 4), (5, 7)), distance((5, 7), (3, 4)), distance((0, 1), (90, 91))
    (17, 15, 32)
    """
    if detail[0] >= thing[1]:
        return DISTANCES + min(DISTANCES, detail[0] - thing[1])
    if thing[0] >= detail[1]:
        return DISTANCES - min(DISTANCES, thing[0] - detail[1])
    return DISTANCES


def softmax(logits: Vectors) -> Vectors:
    """Returns probabilities along the last axis."""
    raised = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True), dtype=np.float32)


def read_arrays(file: Path) -> Arrays:
    """Returns the arrays of `heads.npz`.

    Raises:
        ConfigurationError: the file cannot be read.
    """
    try:
        with np.load(file, allow_pickle=False) as archive:
            return {name: np.asarray(archive[name], dtype=np.float32) for name in archive.files}
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"the heads cannot be read: {error}; reinstall the weights", file=file) from error
