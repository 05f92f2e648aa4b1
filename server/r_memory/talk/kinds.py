"""What kind of talk a message is, and which switches of remembering follow from it (CIM 27, T-7).

Learnt from the examples of `schema/conversation/kinds.yaml`: words, pairs of words and parts of words, weighed by a
ridge regression (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 3.4 and 4.2). It tunes what is
remembered of the conversation and nothing else: the safety block is made before and without it, so that a wrong kind
costs convenience, never a fact.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from r_memory.talk.stream.scoring import SCORINGS, Scoring
from r_memory.talk.stream.words import normalised

LONGEST = 600
"""Characters of a message that are read: what it is for stands at its beginning."""
_PENALTY = 0.5
_PARTS = (2, 3, 4)
"""Letters in the parts of a word."""
_PIECE = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[?!.]")

Numbers = npt.NDArray[np.float64]
Blocks = tuple[Counter[str], Counter[str]]


class Kind(StrEnum):
    """What kind of talk a message is."""

    TASK = "task"
    """Something is to be made, changed or worked out."""
    QUESTION = "question"
    """Something is to be known."""
    PLANNING = "planning"
    """Something is to be arranged."""
    EMOTIONAL = "emotional"
    """Somebody tells how they feel."""
    SMALL_TALK = "small_talk"
    """Anything else between people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """Switches that a kind of talk changes; `None` leaves one as it is."""

    k: int | None = None
    """Items to activate."""
    window: int | None = None
    """Recent messages that belong to the question."""
    flash_turns: int | None = None
    """Last turns shown as they are."""
    scoring: Scoring | None = None

    @property
    def changes(self) -> Mapping[str, Any]:
        """The switches that are changed, by name: fields of a `Profile`."""
        given = {name: getattr(self, name) for name in ("k", "window", "flash_turns", "scoring")}
        return {name: value for name, value in given.items() if value is not None}


TUNINGS: Mapping[Kind, Tuning] = {
    # The work at hand is the last answers.
    Kind.TASK: Tuning(flash_turns=2),
    # Asked for itself: what was said just before says little about it.
    Kind.QUESTION: Tuning(k=8, window=2),
    # Pieces of a plan lie far apart.
    Kind.PLANNING: Tuning(k=8, window=6, flash_turns=2),
    # What mattered most counts, whatever its words: Mimir's importance.
    Kind.EMOTIONAL: Tuning(k=4, window=6, scoring=SCORINGS["mimir"]),
    Kind.SMALL_TALK: Tuning(k=2),
}
"""Each kind changes one switch at least."""


class KindClassifier:
    """Tells kinds of talk apart; learns at its first message, in a moment, and the same every time."""

    name = "kinds/1"

    def __init__(self, examples: Mapping[str, Sequence[str]]) -> None:
        """`examples` by the name of their kind (see `config.kinds_file`)."""
        self._examples = [(text, Kind(kind)) for kind, texts in examples.items() for text in texts]
        self._learnt: _Learnt | None = None

    def kind_of(self, text: str) -> Kind:
        """The most likely kind; small talk for a message without words."""
        if self._learnt is None:
            self._learnt = _learnt(self._examples)
        counted = _counted(text)
        if not any(counted):
            return Kind.SMALL_TALK
        return self._learnt.kinds[int(np.argmax(self._learnt.rows([counted]) @ self._learnt.weights))]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Learnt:
    kinds: tuple[Kind, ...]
    columns: tuple[Mapping[str, int], Mapping[str, int]]
    """Of words and of parts, each from 0."""
    rarity: tuple[Numbers, Numbers]
    weights: Numbers
    """Features by kinds; the last feature is always 1."""

    def rows(self, counted: Sequence[Blocks]) -> Numbers:
        """One row for each text; words and parts each have the length 1."""
        return _rows(counted, self.columns, self.rarity)


def _learnt(examples: Sequence[tuple[str, Kind]]) -> _Learnt:
    counted = [_counted(text) for text, _ in examples]
    words, parts = (_columns([blocks[at] for blocks in counted]) for at in (0, 1))
    columns, rarity = (words[0], parts[0]), (words[1], parts[1])
    rows = _rows(counted, columns, rarity)
    truth = np.array([[1.0 if kind is other else -1.0 for other in Kind] for _, kind in examples])
    # In the examples' own space: a few hundred of them against some ten thousand features.
    shares = np.linalg.solve(rows @ rows.T + _PENALTY * np.eye(len(rows)), truth)
    return _Learnt(kinds=tuple(Kind), columns=columns, rarity=rarity, weights=np.asarray(rows.T @ shares))


def _columns(counted: Sequence[Counter[str]]) -> tuple[Mapping[str, int], Numbers]:
    """Feature to its column, and how telling each is."""
    seen = Counter(feature for block in counted for feature in block)
    features = sorted(seen)
    rarity = np.array([log((1 + len(counted)) / (1 + seen[feature])) + 1 for feature in features])
    return {feature: column for column, feature in enumerate(features)}, rarity


def _rows(
    counted: Sequence[Blocks],
    columns: tuple[Mapping[str, int], Mapping[str, int]],
    rarity: tuple[Numbers, Numbers],
) -> Numbers:
    made = [_block([blocks[at] for blocks in counted], columns[at], rarity[at]) for at in (0, 1)]
    return np.hstack([*made, np.ones((len(counted), 1))])


def _block(counted: Sequence[Counter[str]], columns: Mapping[str, int], rarity: Numbers) -> Numbers:
    rows = np.zeros((len(counted), len(columns)))
    for row, block in enumerate(counted):
        for feature, times in block.items():
            if feature in columns:
                rows[row, columns[feature]] = (1 + log(times)) * rarity[columns[feature]]
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))


def _counted(text: str) -> Blocks:
    """Words and pairs of them, and parts of words."""
    pieces = _PIECE.findall(normalised(text[:LONGEST]).replace("\u2019", "'"))
    words = Counter([*pieces, *(f"{one} {two}" for one, two in pairwise(pieces))])
    parts: Counter[str] = Counter()
    for piece in pieces:
        padded = f" {piece} "
        parts.update(padded[at : at + size] for size in _PARTS for at in range(len(padded) - size + 1))
    return words, parts
