"""Whether words of a question stand in something that is stored, so that the gate opens whatever its judge says.

A judge sees the question alone, and a plain question may be about anything. Where its names, or words that nobody uses
every day, stand in one stored item and make up half of what it asks, it is about that item. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from r_memory.domain.judgements import GateLesson
from r_memory.talk.stream.words import LANGUAGES, Term, normalised, search_query, stem, terms

BY_WORDS = "words"
"""Who opened the gate."""
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Þ][\w'-]+")
_EVERYDAY, _TELLING = 1.0, 3.0
"""What a word of a question weighs."""
SHARE, LEAST = 0.5, 4.0
"""Share of a question's weight that one item has to hold, and the weight: a telling word and another one."""
WHOLE = 0.75
"""Share from which a single telling word is enough: little else was asked."""


class Familiar:
    """Weighs the words of questions; what stands in the gate's lesson is said every day."""

    def __init__(self, lesson: GateLesson) -> None:
        self._lesson = lesson

    @cached_property
    def _everyday(self) -> frozenset[Term]:
        return frozenset(
            term for example in self._lesson.examples for code in LANGUAGES for term in terms(example.text, code)
        )

    def weights(self, question: str, languages: Iterable[str]) -> Mapping[tuple[Term, ...], float]:
        """What each word that is looked up weighs."""
        named = {stem(normalised(name), code) for name in _NAME.findall(question) for code in LANGUAGES}
        asked = search_query(question, tuple(languages)).terms
        return {word: _EVERYDAY if self._is_everyday(word, named) else _TELLING for word in asked}

    def _is_everyday(self, word: tuple[Term, ...], named: set[Term]) -> bool:
        return named.isdisjoint(word) and not self._everyday.isdisjoint(word)


def opens(held: float, weights: Mapping[tuple[Term, ...], float]) -> bool:
    """Whether an item that holds words of so much weight is what the question is about."""
    share = held / total if (total := sum(weights.values())) else 0.0
    return (share >= SHARE and held >= LEAST) or (share >= WHOLE and held >= _TELLING)
