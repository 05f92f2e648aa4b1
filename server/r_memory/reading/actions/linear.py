"""A linear model over words, parts of words and tags: features, scores, calibrated probabilities, and where it is kept.

Kept in a folder of what can be computed again: one `.npz` per content, written whole or not at all. Weights are arrays
and the rest is JSON inside the same file; nothing is unpickled. How the weights are found is told in `training.py`.
"""

import hashlib
import io
import json
import logging
import re
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from r_memory.domain.intents import IntentTable
from r_memory.domain.schema import Schema

FEATURES = "1"
"""Changes with every change of the features, so that no cached weights are read under other ones."""
_WORD = re.compile(r"[^\W_]+(?:['/][^\W_]+)*")
_PART = 3
"""Letters in a part. Parts lift held-out accuracy on misspelt clinical examples from .487 to .515 and cost .02 on clean
ones; longer parts add time and nothing else."""
Floats = NDArray[np.float64]
Block = Counter[str]


def blocks(text: str, tags: Sequence[str]) -> tuple[Block, Block, Block]:
    """Counts the words and word pairs, the parts of words, and the tags of a plain text.

    Each of the three blocks is normalised by itself.
    """
    words = _WORD.findall(text)
    counted = Counter(words)
    pairs = Counter(f"{first} {second}" for first, second in pairwise(words))
    parts: Block = Counter()
    for word, times in counted.items():
        for part in _parts(word):
            parts["#" + part] += times
    return counted + pairs, parts, Counter(tags)


def _parts(word: str) -> Iterator[str]:
    padded = f" {word} "
    return (padded[start : start + _PART] for start in range(len(padded) - _PART + 1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearModel:
    """Weights per feature and action type."""

    labels: tuple[str, ...]
    vocabulary: Mapping[str, int]
    """Feature to its row in `weights`."""
    rarity: Floats
    """Inverse document frequency per feature."""
    weights: Floats
    """Features by labels."""
    bias: Floats
    temperature: float
    """Scores are divided by it before they become probabilities; fitted on held-out folds."""

    def __post_init__(self) -> None:
        features, labels = len(self.vocabulary), len(self.labels)
        fits = self.weights.shape == (features, labels) and self.bias.shape == (labels,)
        if not fits or self.rarity.shape != (features,) or not self.temperature > 0:
            raise ValueError("weights, bias and vocabulary do not belong together")

    def probabilities(self, text: str, tags: Sequence[str]) -> Mapping[str, float]:
        """Returns a calibrated probability for each label; they add up to 1."""
        rows, values = vector(blocks(text, tags), self.vocabulary, self.rarity)
        scores = (values @ self.weights[rows] + self.bias) / self.temperature
        raised = np.exp(scores - scores.max())
        return dict(zip(self.labels, (raised / raised.sum()).tolist(), strict=True))


def vector(counted: Sequence[Block], vocabulary: Mapping[str, int], rarity: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Returns the rows and values of the known features.

    A value is the dampened count times the rarity; each block has length 1.
    """
    rows: list[int] = []
    values: list[float] = []
    for block in counted:
        known = [(vocabulary[feature], 1.0 + log(times)) for feature, times in block.items() if feature in vocabulary]
        weighed = [dampened * float(rarity[row]) for row, dampened in known]
        length = sum(value * value for value in weighed) ** 0.5
        rows.extend(row for row, _ in known)
        values.extend(value / length for value in weighed)
    return np.array(rows, dtype=np.int64), np.array(values, dtype=np.float64)


logger = logging.getLogger(__name__)


def obtain(
    folder: Path, table: IntentTable, schema: Schema, train: Callable[[], LinearModel | None]
) -> LinearModel | None:
    """Returns the model of this table and schema, read from `folder` or trained now and stored there.

    An unreadable file is replaced. If the folder cannot be written, the model is trained again at the next start.
    `None` if `train` returns none.
    """
    file = folder / f"intents-{key(table, schema)}.npz"
    model = _read(file)
    if model is None and (model := train()) is not None:
        _write(file, model)
    return model


def key(table: IntentTable, schema: Schema) -> str:
    """Returns the cache key; it changes with the table, the schema, its lexicon and the features."""
    return hashlib.sha256(f"{table.version}/{schema.version}/{FEATURES}".encode()).hexdigest()[:16]


def _read(file: Path) -> LinearModel | None:
    if not file.is_file():
        return None
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            facts = json.loads(arrays["facts"].tobytes())
            return LinearModel(
                labels=tuple(facts["labels"]),
                vocabulary={feature: row for row, feature in enumerate(facts["vocabulary"])},
                rarity=arrays["rarity"],
                weights=arrays["weights"].astype(np.float64),
                bias=arrays["bias"],
                temperature=float(facts["temperature"]),
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        logger.warning("Cached model unreadable", extra={"action": "model_unreadable", "error": type(error).__name__})
        return None


def _write(file: Path, model: LinearModel) -> None:
    facts = {
        "labels": model.labels,
        "vocabulary": list(model.vocabulary),
        "temperature": model.temperature,
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(
                part,
                facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8),
                rarity=model.rarity,
                # Half the size; the difference in a probability is below 1e-6.
                weights=model.weights.astype(np.float32),
                bias=model.bias,
            )
        Path(part.name).replace(file)
    except OSError as error:
        logger.warning("Model not cached", extra={"action": "model_not_cached", "error": type(error).__name__})
