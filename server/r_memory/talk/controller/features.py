"""What in a user's words tells whether earlier talk is needed: words and their neighbours, and cues in many languages.

Names are masked, so that what is learnt about one person holds for all; a sentence means the same in small letters.
Pure; knows no weights.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from r_memory.talk.language import pattern, table
from r_memory.talk.language import words as words_of

FEATURES = "2"
"""Changes with every change of the features or their file, so that no kept weights are read under other ones."""
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:['\u2019][^\W_]+)?|[?!\uff1f]")
_ANY_CJK = re.compile(rf"[{_CJK}]")
_START, _END = 300, 200
"""Characters that are looked at: what is asked stands at the start or the end, what is worked on between."""
_MOST_WORDS = 6
_GIVEN, _NAMED, _RUN = "<given>", "<named>", "<cjk>"


@dataclass(frozen=True, slots=True)
class Features:
    """What was found in one text."""

    words: Counter[str]
    """Words, pairs and threes of them; of Chinese, Japanese and Korean characters likewise."""
    cues: frozenset[str]


def features_of(text: str, given_names: AbstractSet[str]) -> Features:
    """The features of a user's words; of a long text, of its start and its end."""
    looked_at = text if len(text) <= _START + _END else f"{text[:_START]} {text[-_END:]}"
    bare = unicodedata.normalize("NFKC", looked_at).replace("\u2019", "'")
    masked, runs = _masked(bare, given_names)
    return Features(words=_counted(masked) + runs, cues=_cues(bare, masked))


def _masked(text: str, given_names: AbstractSet[str]) -> tuple[list[str], Counter[str]]:
    """Words in small letters, names masked; and the parts of what is written without blanks."""
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
