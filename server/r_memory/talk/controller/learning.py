"""Linear models of few examples and many features: their rows, a logistic regression, and where weights are kept.

Learning takes a moment and gives the same weights every time (decision 0008). Weights are arrays; nothing is
unpickled.
"""

import hashlib
import io
import json
import logging
import tempfile
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt

from r_memory.talk.controller.features import Features
from r_memory.text.fitting import least

logger = logging.getLogger(__name__)

Numbers = npt.NDArray[np.float64]
_CUES, _MEANING = 0.3, 0.7
"""Weight of a cue and of the meaning beside the words, whose weights have the length 1."""
_INVERSE_PENALTY = 3.0
_SEEN_TWICE = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Vocabulary:
    """Words that are known, with their columns and how telling each is."""

    columns: Mapping[str, int]
    rarity: Numbers

    @classmethod
    def of(cls, counted: Sequence[Counter[str]], *, texts: int = 1) -> "Vocabulary":
        """The words of these texts that stand in so many of them at least."""
        seen = Counter(word for words in counted for word in words)
        known = sorted(word for word, times in seen.items() if times >= texts)
        rarity = np.array([log((1 + len(counted)) / (1 + seen[word])) + 1 for word in known])
        return cls(columns=columns_of(known), rarity=rarity)

    def rows(self, counted: Sequence[Counter[str]]) -> Numbers:
        """One row of length 1 for each text; of zeros where it has no known word."""
        rows = np.zeros((len(counted), len(self.columns)))
        for row, words in enumerate(counted):
            for word, times in words.items():
                if word in self.columns:
                    column = self.columns[word]
                    rows[row, column] = (1 + log(times)) * self.rarity[column]
        return units(rows)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weights:
    """What was learnt: two answers from the same features."""

    words: Vocabulary
    cues: Mapping[str, int]
    needed: Numbers
    """Of memory; the last is the bias."""
    further: Numbers
    """Of more than the previous turn, where memory is needed."""

    def probabilities(self, found: Features, meaning: Numbers) -> tuple[float, float]:
        """Of needing memory at all, and of needing more than the previous turn if so."""
        row = _rows([found], meaning[np.newaxis], self.words, self.cues)[0]
        return float(_logistic(row @ self.needed)), float(_logistic(row @ self.further))


def learnt(found: Sequence[Features], meanings: Numbers, *, needed: Sequence[bool], further: Sequence[bool]) -> Weights:
    """Weights from examples; deterministic. `further` counts only where memory is needed."""
    words = Vocabulary.of([features.words for features in found], texts=_SEEN_TWICE)
    cues = columns_of(sorted({cue for features in found for cue in features.cues}))
    rows, told = _rows(found, meanings, words, cues), np.asarray(needed)
    return Weights(
        words=words,
        cues=cues,
        needed=_regression(rows, told.astype(np.float64)),
        further=_regression(rows[told], np.asarray(further, dtype=np.float64)[told]),
    )


def _rows(found: Sequence[Features], meanings: Numbers, words: Vocabulary, known: Mapping[str, int]) -> Numbers:
    """One row for each text: words, cues, meaning, and 1 for the bias."""
    cues = np.zeros((len(found), len(known)))
    for row, features in enumerate(found):
        cues[row, [known[cue] for cue in features.cues if cue in known]] = _CUES
    counted = [features.words for features in found]
    return np.hstack([words.rows(counted), cues, _MEANING * units(meanings), np.ones((len(found), 1))])


def _regression(rows: Numbers, truth: Numbers) -> Numbers:
    """Weights with the bias at the end, penalised like every other weight."""
    signs = 2 * truth - 1

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        margins = signs * (rows @ weights)
        slope = weights - _INVERSE_PENALTY * (rows.T @ (signs * _logistic(-margins)))
        return float(weights @ weights / 2 + _INVERSE_PENALTY * np.logaddexp(0, -margins).sum()), slope

    return least(loss, np.zeros(rows.shape[1]))


def _logistic(scores: Numbers) -> Numbers:
    chances: Numbers = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    return chances


def units(rows: Numbers) -> Numbers:
    """The rows at length one; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Numbers = rows / np.where(lengths > 0, lengths, 1.0)
    return scaled


def columns_of(names: Sequence[str]) -> Mapping[str, int]:
    """Each name with its place, from 0."""
    return {name: column for column, name in enumerate(names)}


def key_of(*parts: str) -> str:
    """Name of the weights that were learnt from exactly this."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def read_weights(file: Path) -> Weights | None:
    """Weights that were kept; `None` if there are none that can be read."""
    if not file.is_file():
        return None
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            names = json.loads(arrays["names"].tobytes())
            return Weights(
                words=Vocabulary(columns=columns_of(names["words"]), rarity=arrays["rarity"]),
                cues=columns_of(names["cues"]),
                needed=arrays["needed"],
                further=arrays["further"],
            )
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        logger.warning("Kept weights unreadable", extra={"action": "gate_unreadable", "error": type(error).__name__})
        return None


def keep_weights(file: Path, weights: Weights) -> None:
    """Writes the weights, whole or not at all; a folder that cannot be written costs time at the next start only."""
    names = {"words": list(weights.words.columns), "cues": list(weights.cues)}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(
                part,
                names=np.frombuffer(json.dumps(names).encode(), dtype=np.uint8),
                rarity=weights.words.rarity,
                needed=weights.needed,
                further=weights.further,
            )
        Path(part.name).replace(file)
    except OSError as error:
        logger.warning("Weights not kept", extra={"action": "gate_not_kept", "error": type(error).__name__})
