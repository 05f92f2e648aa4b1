"""SCM's first question: whether a turn activates memory at all (memory-systems 1.2, 1.3).

Knows the rules, what doubt means, and when a question is about something stored; who answers is the judge's business.
What is decided here is logged by whoever asks, and never touches the facts.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property

from r_memory.domain.turns import GateLesson, Judgement
from r_memory.protocols import Judge
from r_memory_talk.language import pattern
from r_memory_talk.stream.words import LANGUAGES, Term, has_cjk, normalised, search_query, stem, terms

BY_RULE = "policy"
"""Source of a judgement without a judge."""
BY_WORDS = "words"
"""Source of a judgement that opened the gate because a question is about stored words."""
LEAST_TURNS = 2
"""Stored turns below which nothing is activated; a single turn is shown as the previous turn (SCM-9)."""
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Þ][\w'-]+")
_EVERYDAY, _TELLING = 1.0, 3.0
"""Weight of an everyday word of a question, and of a telling one."""
SHARE, LEAST = 0.5, 4.0
"""Share of a question's weight that one item must hold, and the least weight: a telling word and another."""
WHOLE = 0.75
"""Share from which a single telling word is enough."""


class GateRule(StrEnum):
    """The source of the decision to activate memory."""

    JUDGE = "judge"
    """The judge decides, from the user's command alone: the paper (SCM-11)."""
    ALWAYS = "always"
    """Every turn activates memory: the published code, which never asks (SCM-12)."""
    NEVER = "never"
    """No turn activates memory: the ablation."""


async def gate(rule: GateRule, judge: Judge, question: str, *, turns: int, beside: bool = False) -> Judgement:
    """Returns whether a question activates memory, and by which source; see `activates` for its meaning.

    `turns` is the number of stored turns. Below `LEAST_TURNS` the answer is no, without asking, unless something
    `beside` the conversation (a document, another conversation) may be activated.
    """
    if rule is GateRule.NEVER or (turns < LEAST_TURNS and not beside):
        return Judgement(yes=False, by=BY_RULE)
    if rule is GateRule.ALWAYS:
        return Judgement(yes=True, by=BY_RULE)
    return await judge.needs_memory(question)


def went_wrong(judgement: Judgement) -> bool:
    """Whether a judge failed, or its answer cannot be used; an unsure judge did not fail."""
    return judgement.yes is None and bool(judgement.trouble)


def activates(judgement: Judgement) -> bool:
    """Whether memory is activated: on yes and in doubt, as a missed memory is the worse error (SCM-16)."""
    return judgement.yes is not False


class Familiar:
    """Weighs the words of questions: names and rare words tell what a question is about.

    It complements the judge, which sees only the question. Words of the gate's lesson count as everyday words.
    """

    def __init__(self, lesson: GateLesson) -> None:
        self._lesson = lesson

    @cached_property
    def _everyday(self) -> frozenset[Term]:
        return frozenset(
            term for example in self._lesson.examples for code in LANGUAGES for term in terms(example.text, code)
        )

    def weights(self, question: str, languages: Iterable[str]) -> Mapping[tuple[Term, ...], float]:
        """Returns the weight of each word that is looked up."""
        named = {stem(normalised(name), code) for name in _NAME.findall(question) for code in LANGUAGES}
        telling = self._everyday.isdisjoint
        plain = pattern("recall", "asking").sub(" ", question)
        return {
            word: _TELLING if telling(word) or not named.isdisjoint(word) else _EVERYDAY
            for word in search_query(plain, tuple(languages)).terms
            # Chinese is looked up by pairs of characters: one alone is never found.
            if not (has_cjk(word[0]) and len(word[0]) == 1)
        }


def opens(held: float, weights: Mapping[tuple[Term, ...], float]) -> bool:
    """Whether an item that holds words of weight `held` is what the question is about."""
    share = held / total if (total := sum(weights.values())) else 0.0
    return (share >= SHARE and held >= LEAST) or (share >= WHOLE and held >= _TELLING)
