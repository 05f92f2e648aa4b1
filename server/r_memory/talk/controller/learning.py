"""A logistic regression in few examples and many features, and where its weights are kept.

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
    """Features that are known, with their columns."""

    words: Mapping[str, int]
    rarity: Numbers
    cues: Mapping[str, int]

    def rows(self, found: Sequence[Features], meanings: Numbers) -> Numbers:
        """One row for each text: words, cues and meaning."""
        words = np.zeros((len(found), len(self.words)))
        cues = np.zeros((len(found), len(self.cues)))
        for row, features in enumerate(found):
            for word, times in features.words.items():
                if word in self.words:
                    column = self.words[word]
                    words[row, column] = (1 + log(times)) * self.rarity[column]
            cues[row, [self.cues[cue] for cue in features.cues if cue in self.cues]] = _CUES
        return np.hstack([_units(words), cues, _MEANING * _units(meanings)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weights:
    """What was learnt: two answers from the same features."""

    vocabulary: Vocabulary
    needed: Numbers
    """Of memory; the last is the bias."""
    further: Numbers
    """Of more than the previous turn, where memory is needed."""

    def probabilities(self, found: Features, meaning: Numbers) -> tuple[float, float]:
        """Of needing memory at all, and of needing more than the previous turn if so."""
        row = np.append(self.vocabulary.rows([found], meaning[np.newaxis])[0], 1.0)
        return float(_logistic(row @ self.needed)), float(_logistic(row @ self.further))


def learnt(found: Sequence[Features], meanings: Numbers, *, needed: Sequence[bool], further: Sequence[bool]) -> Weights:
    """Weights from examples; deterministic. `further` counts only where memory is needed."""
    vocabulary = _vocabulary(found)
    rows = vocabulary.rows(found, meanings)
    told = np.asarray(needed)
    return Weights(
        vocabulary=vocabulary,
        needed=_regression(rows, told.astype(np.float64)),
        further=_regression(rows[told], np.asarray(further, dtype=np.float64)[told]),
    )


def _vocabulary(found: Sequence[Features]) -> Vocabulary:
    seen = Counter(word for features in found for word in features.words)
    words = sorted(word for word, texts in seen.items() if texts >= _SEEN_TWICE)
    return Vocabulary(
        words={word: column for column, word in enumerate(words)},
        rarity=np.array([log((1 + len(found)) / (1 + seen[word])) + 1 for word in words]),
        cues={cue: column for column, cue in enumerate(sorted({cue for features in found for cue in features.cues}))},
    )


def _regression(rows: Numbers, truth: Numbers) -> Numbers:
    """Weights with the bias at the end, penalised like every other weight."""
    rows = np.hstack([rows, np.ones((len(rows), 1))])
    signs = 2 * truth - 1

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        margins = signs * (rows @ weights)
        slope = weights - _INVERSE_PENALTY * (rows.T @ (signs * _logistic(-margins)))
        return float(weights @ weights / 2 + _INVERSE_PENALTY * np.logaddexp(0, -margins).sum()), slope

    return least(loss, np.zeros(rows.shape[1]))


def _logistic(scores: Numbers) -> Numbers:
    chances: Numbers = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    return chances


def _units(rows: Numbers) -> Numbers:
    """Of length one; zeros stay zeros."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    units: Numbers = rows / np.where(lengths > 0, lengths, 1.0)
    return units


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
            vocabulary = Vocabulary(
                words={word: column for column, word in enumerate(names["words"])},
                rarity=arrays["rarity"],
                cues={cue: column for column, cue in enumerate(names["cues"])},
            )
            return Weights(vocabulary=vocabulary, needed=arrays["needed"], further=arrays["further"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        logger.warning("Kept weights unreadable", extra={"action": "gate_unreadable", "error": type(error).__name__})
        return None


def keep_weights(file: Path, weights: Weights) -> None:
    """Writes the weights, whole or not at all; a folder that cannot be written costs time at the next start only."""
    names = {"words": list(weights.vocabulary.words), "cues": list(weights.vocabulary.cues)}
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(
                part,
                names=np.frombuffer(json.dumps(names).encode(), dtype=np.uint8),
                rarity=weights.vocabulary.rarity,
                needed=weights.needed,
                further=weights.further,
            )
        Path(part.name).replace(file)
    except OSError as error:
        logger.warning("Weights not kept", extra={"action": "gate_not_kept", "error": type(error).__name__})
