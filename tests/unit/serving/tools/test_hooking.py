"""Recall for a hook: always an answer, in the form that hosts read, and nothing where nothing is asked."""

from collections.abc import Mapping
from typing import Any

import pytest

from r_memory.domain.facts import Entity
from r_memory.errors import StoreUnavailable
from r_memory.serving.tools import hooking
from r_memory.serving.tools.offer import Offer
from tests.scripted import ScriptedClassifier
from tests.unit.serving.tools.practice import ALLERGIC, ASK, Practice, called, client_of

pytestmark = [pytest.mark.anyio, pytest.mark.proves("M-51")]


@pytest.fixture
def practice() -> Practice:
    return Practice(offer=Offer(hooks=True))


async def hooked(practice: Practice, prompt: str) -> str:
    """What is put before a prompt, once something is known about Ann Lee; empty: nothing."""
    async with client_of(practice) as client:
        if practice.fails is None:
            await called(client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee")
        answer: Mapping[str, Any] = await called(client, "memory_hook_context", prompt=prompt, session_id="s1")
    if not answer:
        return ""
    assert answer["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    told: str = answer["hookSpecificOutput"]["additionalContext"]
    assert len(told) <= hooking.LONGEST
    return told


@pytest.mark.parametrize("prompt", ["Prescribe something for Ann Lee.", "what can p1 take?"])
async def test_whoever_the_prompt_names_is_looked_up(practice: Practice, prompt: str) -> None:
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in await hooked(practice, prompt)


async def test_both_are_looked_up_where_one_has_the_name_of_the_other_for_an_id(practice: Practice) -> None:
    assert "Ann Lee (Patient P1)" in await hooked(practice, "What for Ann Lee?")
    await practice.store.declare_subject(Entity(space="practice", type="Patient", id="Ann Lee", name="Eve Roe"))
    told = await hooked(practice, "Prescribe something for Ann Lee.")
    assert "Subject: Ann Lee (Patient P1)" in told
    assert "Subject: Eve Roe (Patient Ann Lee)" in told


@pytest.mark.parametrize("prompt", ["", "How is the weather in Annleeville?"])
async def test_a_prompt_that_concerns_nobody_is_left_alone(practice: Practice, prompt: str) -> None:
    assert await hooked(practice, prompt) == ""


async def test_a_request_about_somebody_unknown_is_told_that_nothing_was_looked_up(practice: Practice) -> None:
    practice.classifier = ScriptedClassifier("MED_ORDER")
    told = await hooked(practice, "Prescribe something for him.")
    assert "nothing was looked up" in told


async def test_a_store_that_is_down_is_told_and_never_an_error(practice: Practice) -> None:
    practice.fails = StoreUnavailable("the store does not answer")
    assert f"SAFETY MEMORY UNAVAILABLE: the store does not answer. {ASK}" in await hooked(practice, "Ann Lee?")


async def test_without_the_flag_there_is_no_such_tool() -> None:
    async with client_of(Practice()) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert not names & {"memory_hook_context", "memory_run_audit"}


@pytest.mark.proves("M-63")
async def test_a_read_only_server_lists_nothing_that_writes() -> None:
    async with client_of(Practice(offer=Offer(read_only=True))) as client:
        tools = (await client.list_tools()).tools
    assert tools
    assert all(tool.annotations is not None and tool.annotations.read_only_hint for tool in tools)
