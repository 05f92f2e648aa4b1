"""What in a user's words tells whether earlier talk is needed, and a linear model over it, learnt from few examples.

Features are words and their neighbours, and cues in many languages; names are masked, so that what is learnt about one
person holds for all. Learning gives the same weights every time. Weights are arrays; nothing is
unpickled.
"""

import io
import logging
import re
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # ships no types

from r_memory.domain.turns import GateLesson
from r_memory.text.fitting import Numbers, least, units
from r_memory_talk.language import pattern, table
from r_memory_talk.language import words as words_of

logger = logging.getLogger(__name__)

_CUES, _MEANING = 0.3, 0.7
"""Weights of a cue and of the meaning, relative to the words, whose weights have length 1."""
_INVERSE_PENALTY = 3.0
_SEEN_TWICE = 2
FEATURES = "3"
"""Version of the features and their file; cached weights of another version are not read."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['\u2019][^\W_]+)?|[?!\uff1f]")
_ANY_CJK = re.compile(rf"[{_CJK}]")
_START, _END = 300, 200
"""Characters that are read from the start and the end, where questions stand."""
_MOST_WORDS = 6
_GIVEN, _NAMED, _RUN = "<given>", "<named>", "<cjk>"


@dataclass(frozen=True, slots=True)
class Features:
    """The features of one text."""

    words: Counter[str]
    """Counts of words and of runs of two and three; for Chinese, Japanese and Korean of characters."""
    cues: frozenset[str]


def features_of(text: str, given_names: AbstractSet[str]) -> Features:
    """Returns the features of a user's words; of a long text, only of its start and end."""
    looked_at = text if len(text) <= _START + _END else f"{text[:_START]} {text[-_END:]}"
    bare = unicodedata.normalize("NFKC", looked_at).replace("\u2019", "'")
    masked, runs = _masked(bare, given_names)
    return Features(words=_counted(masked) + runs, cues=_cues(bare, masked))


def _masked(text: str, given_names: AbstractSet[str]) -> tuple[list[str], Counter[str]]:
    """Returns the words in small letters with names masked, and the parts of scripts without spaces."""
    words: list[str] = []
    runs: Counter[str] = Counter()
    for place, piece in enumerate(_PIECE.findall(text)):
        if _ANY_CJK.search(piece):
            words.append(_RUN)
            runs.update(piece[at : at + size] for size in (1, 2, 3) for at in range(len(piece) - size + 1))
            runs[f"^{piece[:2]}"] += 1
            continue
        owning = piece.casefold().endswith("'s")
        words.append(_mask(piece[:-2] if owning else piece, given_names, first=place == 0))
        words.extend(["'s"] if owning else [])
    return words, runs


def _mask(word: str, given_names: AbstractSet[str], *, first: bool) -> str:
    small, capital = word.casefold(), word[:1].isupper()
    if small in given_names and (small not in words_of("gate_names", "common") or (capital and not first)):
        return _GIVEN
    own = small == "i" or small.startswith("i'")
    return _NAMED if capital and not first and not own and not word.isupper() else small


def _counted(words: list[str]) -> Counter[str]:
    framed = ["<", *words, ">"]
    counted = Counter(words)
    for size in (2, 3):
        counted.update(" ".join(framed[at : at + size]) for at in range(len(framed) - size + 1))
    return counted


def _cues(text: str, words: list[str]) -> frozenset[str]:
    found = {name for name in table("gate") if pattern("gate", name).search(text)}
    given, named = _GIVEN in words, _NAMED in words
    if given:
        found.add("given name" if named else "given name alone")
    elif named:
        found.add("other name")
    found.add(f"length {min(_MOST_WORDS, len(words) // 2)}")
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LearntWeights:
    """The learnt model: known words and cues, and the weights of words, cues, meaning and bias."""

    words: Mapping[str, int]
    """Word to its column; cues likewise."""
    rarity: Numbers
    """Inverse document frequency of each word."""
    cues: Mapping[str, int]
    needed: Numbers

    def probability(self, found: Features, meaning: Numbers) -> float:
        """Returns the probability that memory is needed."""
        return float(_logistic(self.rows([found], meaning[np.newaxis])[0] @ self.needed))

    def rows(self, found: Sequence[Features], meanings: Numbers) -> Numbers:
        """Returns one row for each text: words, cues, meaning, and 1 for the bias."""
        words, cues = (np.zeros((len(found), len(known))) for known in (self.words, self.cues))
        for row, features in enumerate(found):
            for word, times in features.words.items():
                if (column := self.words.get(word)) is not None:
                    words[row, column] = (1 + log(times)) * self.rarity[column]
            cues[row, [self.cues[cue] for cue in features.cues if cue in self.cues]] = _CUES
        return np.hstack([units(words), cues, _MEANING * units(meanings), np.ones((len(found), 1))])


def learnt(lesson: GateLesson, meanings: Numbers) -> LearntWeights:
    """Returns weights learnt from the examples, with `meanings` in their order; deterministic."""
    found = [features_of(example.text, lesson.given_names) for example in lesson.examples]
    seen = Counter(word for features in found for word in features.words)
    words = sorted(word for word, times in seen.items() if times >= _SEEN_TWICE)
    known = LearntWeights(
        words=_columns(words),
        rarity=np.array([log((1 + len(found)) / (1 + seen[word])) + 1 for word in words]),
        cues=_columns(sorted({cue for features in found for cue in features.cues})),
        needed=np.zeros(0),
    )
    needed = np.array([example.needed for example in lesson.examples], dtype=np.float64)
    # One thread: on a busy machine the threads wait for each other, and others have to answer meanwhile.
    with threadpool_limits(limits=1):
        return replace(known, needed=_regression(known.rows(found, meanings), needed))


def _regression(rows: Numbers, truth: Numbers) -> Numbers:
    """Returns the weights, the bias last; the bias is penalised like every other weight."""
    signs = 2 * truth - 1

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        margins = signs * (rows @ weights)
        slope = weights - _INVERSE_PENALTY * (rows.T @ (signs * _logistic(-margins)))
        return float(weights @ weights / 2 + _INVERSE_PENALTY * np.logaddexp(0, -margins).sum()), slope

    return least(loss, np.zeros(rows.shape[1]))


def _logistic(scores: Numbers) -> Numbers:
    chances: Numbers = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    return chances


def _columns(names: Iterable[str]) -> Mapping[str, int]:
    return {name: column for column, name in enumerate(names)}


def read_weights(file: Path) -> LearntWeights | None:
    """Returns stored weights; `None` if there are none, or they cannot be read."""
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            words, cues = (_columns(arrays[name].tolist()) for name in ("words", "cues"))
            return LearntWeights(words=words, cues=cues, rarity=arrays["rarity"], needed=arrays["needed"])
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        logger.warning("Kept weights unreadable", extra={"action": "gate_unreadable", "error": type(error).__name__})
        return None


def keep_weights(file: Path, weights: LearntWeights) -> None:
    """Writes the weights completely or not at all.

    If the folder cannot be written, they are learnt again at the next start.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, suffix=".part", delete=False) as part:
            np.savez(
                part,
                words=np.array(list(weights.words), dtype=np.str_),
                cues=np.array(list(weights.cues), dtype=np.str_),
                rarity=weights.rarity,
                needed=weights.needed,
            )
        Path(part.name).replace(file)
    except OSError as error:
        logger.warning("Weights not kept", extra={"action": "gate_not_kept", "error": type(error).__name__})
