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
"""Who answered where nobody was asked."""
BY_WORDS = "words"
"""Who opened the gate for a question about something stored."""
LEAST_TURNS = 2
"""Stored turns below which there is nothing to activate: one alone comes in as the previous turn (SCM-9)."""
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Þ][\w'-]+")
_EVERYDAY, _TELLING = 1.0, 3.0
"""What a word of a question weighs."""
SHARE, LEAST = 0.5, 4.0
"""Share of a question's weight that one item has to hold, and the weight: a telling word and another one."""
WHOLE = 0.75
"""Share from which a single telling word is enough: little else was asked."""


class GateRule(StrEnum):
    """Who decides whether memory is activated."""

    JUDGE = "judge"
    """The judge, from the user's command alone: the paper (SCM-11)."""
    ALWAYS = "always"
    """Every turn: the published code, in which the question is never asked (SCM-12)."""
    NEVER = "never"
    """No turn: the ablation without activation memory."""


async def gate(rule: GateRule, judge: Judge, question: str, *, turns: int, beside: bool = False) -> Judgement:
    """Whether to activate memory for a question, and who said so; see `activates` for what it comes to.

    `turns` are those stored in the conversation: below two nobody is asked and the answer is no, unless something
    `beside` it (a document, another conversation) may be activated.
    """
    if rule is GateRule.NEVER or (turns < LEAST_TURNS and not beside):
        return Judgement(yes=False, by=BY_RULE)
    if rule is GateRule.ALWAYS:
        return Judgement(yes=True, by=BY_RULE)
    return await judge.needs_memory(question)


def went_wrong(judgement: Judgement) -> bool:
    """Whether somebody was asked and gave nothing that can be used: not a judge that is not sure by itself."""
    return judgement.yes is None and bool(judgement.trouble)


def activates(judgement: Judgement) -> bool:
    """Whether memory is activated: on yes and in doubt, as missing what was said is the unsafe side (SCM-16)."""
    return judgement.yes is not False


class Familiar:
    """Weighs the words of questions: names, and words that nobody uses every day, tell what a question is about.

    A judge sees the question alone. What stands in the gate's lesson is said every day.
    """

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
        telling = self._everyday.isdisjoint
        plain = pattern("recall", "asking").sub(" ", question)
        return {
            word: _TELLING if telling(word) or not named.isdisjoint(word) else _EVERYDAY
            for word in search_query(plain, tuple(languages)).terms
            # Chinese is looked up by pairs of characters: one alone is never found.
            if not (has_cjk(word[0]) and len(word[0]) == 1)
        }


def opens(held: float, weights: Mapping[tuple[Term, ...], float]) -> bool:
    """Whether an item that holds words of so much weight is what the question is about."""
    share = held / total if (total := sum(weights.values())) else 0.0
    return (share >= SHARE and held >= LEAST) or (share >= WHOLE and held >= _TELLING)
