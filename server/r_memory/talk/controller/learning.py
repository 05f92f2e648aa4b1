"""Linear models of few examples and many features: their rows, a logistic regression, and where weights are kept.

Learning takes a moment and gives the same weights every time (decision 0008). Weights are arrays; nothing is
unpickled.
"""

import io
import logging
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # ships no types

from r_memory.domain.turns import GateLesson, Reach
from r_memory.talk.controller.features import Features, features_of
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
        return cls(columns=_columns(known), rarity=rarity)

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
    """What was learnt: two answers from the same features, the last of which is always 1."""

    words: Vocabulary
    cues: Mapping[str, int]
    needed: Numbers
    """Of memory."""
    further: Numbers
    """Of more than the previous turn, where memory is needed."""

    def probabilities(self, found: Features, meaning: Numbers) -> tuple[float, float]:
        """Of needing memory at all, and of needing more than the previous turn if so."""
        row = _rows([found], meaning[np.newaxis], self.words, self.cues)[0]
        return float(_logistic(row @ self.needed)), float(_logistic(row @ self.further))


def learnt(lesson: GateLesson, meanings: Numbers) -> Weights:
    """Weights from the examples, whose meanings come in their order; deterministic."""
    found = [features_of(example.text, lesson.given_names) for example in lesson.examples]
    needed = np.array([example.reach is not Reach.ALONE for example in lesson.examples])
    further = np.array([example.reach is Reach.EARLIER for example in lesson.examples], dtype=np.float64)
    words = Vocabulary.of([features.words for features in found], texts=_SEEN_TWICE)
    cues = _columns(sorted({cue for features in found for cue in features.cues}))
    rows = _rows(found, meanings, words, cues)
    # One thread: on a busy machine the threads wait for each other, and others have to answer meanwhile.
    with threadpool_limits(limits=1):
        return Weights(
            words=words,
            cues=cues,
            needed=_regression(rows, needed.astype(np.float64)),
            further=_regression(rows[needed], further[needed]),
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


def _columns(names: Iterable[str]) -> Mapping[str, int]:
    return {name: column for column, name in enumerate(names)}


def read_weights(file: Path) -> Weights | None:
    """Weights that were kept; `None` if there are none that can be read."""
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            return Weights(
                words=Vocabulary(columns=_columns(arrays["words"].tolist()), rarity=arrays["rarity"]),
                cues=_columns(arrays["cues"].tolist()),
                needed=arrays["needed"],
                further=arrays["further"],
            )
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        logger.warning("Kept weights unreadable", extra={"action": "gate_unreadable", "error": type(error).__name__})
        return None


def keep_weights(file: Path, weights: Weights) -> None:
    """Writes the weights, whole or not at all; a folder that cannot be written costs time at the next start only."""
    arrays = {
        "words": np.array(list(weights.words.columns), dtype=np.str_),
        "cues": np.array(list(weights.cues), dtype=np.str_),
        "rarity": weights.words.rarity,
        "needed": weights.needed,
        "further": weights.further,
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(part, **arrays)
        Path(part.name).replace(file)
    except OSError as error:
        logger.warning("Weights not kept", extra={"action": "gate_not_kept", "error": type(error).__name__})
