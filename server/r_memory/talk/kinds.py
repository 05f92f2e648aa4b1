"""What kind of talk a message is, and which switches of remembering follow from it (CIM 27, T-7).

Learnt from the examples of `schema/conversation/kinds.yaml`: the words and cues that the gate looks at, weighed by a
ridge regression (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 3.4 and 4.2). It tunes what is
remembered of the conversation and nothing else: the safety block is made before and without it, so that a wrong kind
costs convenience, never a fact.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from r_memory.talk.controller.learning import Numbers, Vocabulary, features_of
from r_memory.talk.stream.scoring import SCORINGS

_PENALTY = 0.5


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


TUNINGS: Mapping[Kind, Mapping[str, Any]] = {
    # The work at hand is the last answers.
    Kind.TASK: {"flash_turns": 2},
    # Asked for itself: what was said just before says little about it.
    Kind.QUESTION: {"k": 8, "window": 2},
    # Pieces of a plan lie far apart.
    Kind.PLANNING: {"k": 8, "window": 6, "flash_turns": 2},
    # What mattered most counts, whatever its words: Mimir's importance.
    Kind.EMOTIONAL: {"k": 4, "window": 6, "scoring": SCORINGS["mimir"]},
    Kind.SMALL_TALK: {"k": 2},
}
"""The switches of a profile that each kind changes, one at least."""


class KindClassifier:
    """Tells kinds of talk apart; learns at its first message, in a moment, and the same every time."""

    def __init__(self, examples: Mapping[str, Sequence[str]]) -> None:
        """`examples` by the name of their kind (see `config.conversation_file`)."""
        self._examples = [(text, Kind(kind)) for kind, texts in examples.items() for text in texts]

    def kind_of(self, text: str) -> Kind:
        """The most likely kind; small talk for a message without words."""
        if not any(map(str.isalnum, text)):
            return Kind.SMALL_TALK
        known, weights = self._learnt
        return tuple(Kind)[int(np.argmax(_rows([text], known) @ weights))]

    @cached_property
    def _learnt(self) -> tuple[Vocabulary, Numbers]:
        """The features that are known, and a ridge regression over them."""
        known = Vocabulary.of([_counted(text) for text, _ in self._examples])
        rows = _rows([text for text, _ in self._examples], known)
        truth = np.array([[1.0 if kind is other else -1.0 for other in Kind] for _, kind in self._examples])
        # In the examples' own space: a few hundred of them against some thousand features.
        shares = np.linalg.solve(rows @ rows.T + _PENALTY * np.eye(len(rows)), truth)
        return known, rows.T @ shares


def _rows(texts: Sequence[str], known: Vocabulary) -> Numbers:
    """One row for each text; the last feature is always 1."""
    return np.hstack([known.rows(list(map(_counted, texts))), np.ones((len(texts), 1))])


def _counted(text: str) -> Counter[str]:
    """What the gate looks at as well, of a message whose names are nobody's in particular."""
    found = features_of(text, frozenset())
    return found.words + Counter(found.cues)
