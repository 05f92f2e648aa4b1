"""Who is asked whether memory is needed, and what doubt comes to."""

import pytest

from r_memory.domain.turns import Judgement
from r_memory.errors import ModelUnavailable
from r_memory_talk.controller.gate import BY_RULE, GateRule, activates, gate
from tests.scripted import ScriptedJudge

pytestmark = pytest.mark.anyio
ASKED = "Which hotel did I like?"


@pytest.mark.proves("SCM-9")
@pytest.mark.parametrize("turns", [0, 1])
@pytest.mark.parametrize("rule", list(GateRule))
async def test_before_two_turns_nothing_is_activated_and_nobody_is_asked(rule: GateRule, turns: int) -> None:
    judge = ScriptedJudge(needed=True)
    assert await gate(rule, judge, ASKED, turns=turns) == Judgement(yes=False, by=BY_RULE)
    assert judge.asked == []


@pytest.mark.proves("SCM-11")
@pytest.mark.parametrize("needed", [True, False])
async def test_the_judge_decides_from_the_users_words_alone(needed: bool) -> None:
    judge = ScriptedJudge(needed=needed)
    said = await gate(GateRule.JUDGE, judge, ASKED, turns=2)
    assert (activates(said), judge.asked) == (needed, [ASKED])


@pytest.mark.proves("SCM-12")
async def test_always_and_never_ask_nobody() -> None:
    judge = ScriptedJudge(needed=False)
    always = await gate(GateRule.ALWAYS, judge, ASKED, turns=2)
    never = await gate(GateRule.NEVER, judge, ASKED, turns=200)
    assert (activates(always), activates(never), judge.asked) == (True, False, [])


@pytest.mark.proves("SCM-16")
async def test_in_doubt_memory_is_activated() -> None:
    said = await gate(GateRule.JUDGE, ScriptedJudge(needed=None), ASKED, turns=2)
    assert (said.yes, activates(said)) == (None, True)


def test_a_judge_out_of_reach_activates_memory() -> None:
    failed = Judgement(yes=None, by="chat m", trouble=str(ModelUnavailable("the model did not answer")))
    assert activates(failed)
