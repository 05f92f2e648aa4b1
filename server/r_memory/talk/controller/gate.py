"""SCM's first question: whether a turn activates memory at all (memory-systems 1.2, 1.3).

Knows the rules and what doubt means; who answers is the judge's business. What is decided here is logged by whoever
asks, and never touches the facts.
"""

from enum import StrEnum

from r_memory.domain.judgements import Judgement
from r_memory.protocols import Judge

BY_RULE = "policy"
"""Who answered where nobody was asked."""
LEAST_TURNS = 2
"""Stored turns below which there is nothing to activate: one alone comes in as the previous turn (SCM-9)."""


class GateRule(StrEnum):
    """Who decides whether memory is activated."""

    JUDGE = "judge"
    """The judge, from the user's command alone: the paper (SCM-11)."""
    JUDGE_WITH_FLASH = "judge_with_flash"
    """The judge, who also sees the previous turn and says whether more is needed: MemEngine (SCM-17)."""
    ALWAYS = "always"
    """Every turn: the published code, in which the question is never asked (SCM-12)."""
    NEVER = "never"
    """No turn: the ablation without activation memory."""


async def gate(
    rule: GateRule, judge: Judge, question: str, *, turns: int, beside: bool = False, flash: str = ""
) -> Judgement:
    """Whether to activate memory for a question, and who said so; see `activates` for what it comes to.

    `turns` are those stored in the conversation: below two nobody is asked and the answer is no, unless something
    `beside` it (a document, another conversation) may be activated. `flash` is the previous turn, which only
    MemEngine's variant shows to the judge.
    """
    if rule is GateRule.NEVER or (turns < LEAST_TURNS and not beside):
        return Judgement(yes=False, by=BY_RULE)
    if rule is GateRule.ALWAYS:
        return Judgement(yes=True, by=BY_RULE)
    return await judge.needs_memory(question, flash=flash if rule is GateRule.JUDGE_WITH_FLASH else "")


def judged_no(judgement: Judgement) -> bool:
    """Whether a judge was asked and said no."""
    return judgement.yes is False and judgement.by != BY_RULE


def activates(judgement: Judgement) -> bool:
    """Whether memory is activated: on yes and in doubt, as missing what was said is the unsafe side (SCM-16)."""
    return judgement.yes is not False
