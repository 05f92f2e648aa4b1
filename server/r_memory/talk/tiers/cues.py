"""How much a sentence matters, told by words that stand for what changes a life, and by those of small talk.

From 10 for a death to 1 for a greeting (Mimir: `got married` and `a loved one passed` are high, the weather is 1). The
table `[importance]`, and the words that a field adds, are the whole method: it reads words, not meaning, and a model
that does better is asked through `asking.py`. Conversational memory only; no fact and no safety depends on it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from r_memory.talk.language import pattern, table
from r_memory.text.sentences import sentences as sentences_of

USUAL = 3
"""Importance of a sentence that no cue speaks of."""
GRAVE = 7
"""From here on a sentence must stand in a summary."""
_ASKED = 5
"""A question is never more than this: it says that somebody wants to know, not that it is so."""

Cues: TypeAlias = Sequence[tuple[int, re.Pattern[str]]]
"""Importance to what gives it, gravest first."""
_FIRST_CJK = 0x2E80
_SHORT = 60
"""Characters; what begins like small talk and goes on for longer says more."""


@cache
def usual_cues() -> Cues:
    """What changes every life, whatever it is about."""
    weights = sorted((int(weight) for weight in table("importance") if weight != "parts"), reverse=True)
    return tuple((weight, pattern("importance", str(weight))) for weight in weights)


def cues_with(more: Mapping[int, Sequence[str]]) -> Cues:
    """The cues, and words of a field by their importance; `*` in a word is any ending."""
    own = (
        (weight, re.compile("|".join(map(_pattern, words)), re.IGNORECASE)) for weight, words in more.items() if words
    )
    return tuple(sorted((*usual_cues(), *own), key=lambda cue: -cue[0]))


def weight_of(sentence: str, cues: Cues | None = None) -> int:
    """Importance of a sentence, from 1 to 10, by the gravest cue that is not denied right before it.

    >>> weight_of("My father died in May."), weight_of("Nice weather today!"), weight_of("The boat is red.")
    (10, 1, 3)
    """
    bare = sentence.strip()
    weight = next((weight for weight, cue in (usual_cues() if cues is None else cues) if _stands(cue, bare)), 0)
    if bare.endswith(("?", "\uff1f")):
        weight = min(weight, _ASKED)
    if weight:
        return weight
    return 1 if len(bare) <= _SHORT and pattern("memories", "small_talk").match(bare) else USUAL


def importance(sentences: Iterable[str], cues: Cues | None = None) -> int:
    """Importance of several sentences: of the gravest."""
    return max((weight_of(sentence, cues) for sentence in sentences), default=1)


def rated(text: str, cues: Cues | None = None) -> int:
    """Importance of what somebody says: of its gravest sentence.

    >>> rated("Hello. My father died in May. Nice weather!")
    10
    """
    return importance(sentences_of(text), cues)


def feelings(text: str) -> tuple[str, ...]:
    """Feelings that a text names."""
    return tuple(name for name in table("feelings") if pattern("feelings", name).search(text))


def _pattern(word: str) -> str:
    # Chinese and Japanese words have no borders to be found.
    border = r"\b" if word.isascii() or (word[:1].isalpha() and ord(word[0]) < _FIRST_CJK) else ""
    return border + re.escape(word).replace(r"\*", r"\w*") + border


def _stands(cue: re.Pattern[str], sentence: str) -> bool:
    return any(
        not pattern("memories", "denied").search(sentence[max(0, found.start() - 30) : found.start()])
        for found in cue.finditer(sentence)
    )
