"""Recall for a hook: always an answer, in the form that hosts read, and nothing where nothing is asked."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from r_memory.domain.facts import Entity
from r_memory.errors import LedgerBroken, StoreUnavailable
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


async def declared(practice: Practice, names: Iterable[str]) -> None:
    """Patients of these names with an allergy each."""
    async with client_of(practice) as client:
        for number, name in enumerate(names):
            await called(client, "memory_remember", text=ALLERGIC, subject=f"Q{number}", subject_name=name)


async def test_everybody_who_is_named_beyond_those_shown_is_named(practice: Practice) -> None:
    """Found by attack: the fourth and fifth of five patients were left out in silence."""
    names = ["Ben Beta", "Cid Gamma", "Dan Delta", "Eva Epsilon"]
    await declared(practice, names)

    told = await hooked(practice, f"Recommend an antibiotic for Ann Lee, {', '.join(names)}.")

    shown = [name for name in ("Ann Lee", *names) if f"Subject: {name} (Patient" in told]
    [rest] = [line for line in told.splitlines() if line.startswith("NOT SHOWN")]
    assert len(shown) == 3
    assert [name for name in ("Ann Lee", *names) if name in rest] == [
        name for name in ("Ann Lee", *names) if name not in shown
    ]


async def test_somebody_who_is_called_like_an_ordinary_word_takes_nobodys_place(practice: Practice) -> None:
    await declared(practice, ["Please", "Recommend", "For", "Ben Beta", "Cid Gamma"])

    told = await hooked(practice, "Please recommend an antibiotic for Ann Lee, Ben Beta and Cid Gamma.")

    shown = {name for name in ("Ann Lee", "Ben Beta", "Cid Gamma") if f"Subject: {name} (Patient" in told}
    assert shown == {"Ann Lee", "Ben Beta", "Cid Gamma"}


async def test_of_more_than_can_be_named_it_says_how_many_and_shows_some(
    practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooking, "LIMIT_S", 120.0)  # on a busy machine
    ends = [f"{item}{another}" for item in "abcdefgh" for another in "abcdefgh"][:60]
    names = [f"Zoe {'Long' * 40}{end}" for end in ends]
    await declared(practice, names)

    told = await hooked(practice, f"Recommend an antibiotic for {', '.join(names)}.")

    assert "CRITICAL ALLERGY: Zoe" in told
    [rest] = [line for line in told.splitlines() if line.startswith("NOT SHOWN")]
    [left_out] = re.findall(r"and (\d+) more", rest)
    assert rest.count("Zoe") + int(left_out) == 57


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


async def test_where_everybody_was_lost_a_prompt_is_told_so(
    practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is found by any word then, and a prompt that concerns nobody is left alone."""

    async def lost(*_: object, **__: object) -> tuple[Entity, ...]:
        raise LedgerBroken("something was recorded about somebody who is not there any more")

    assert "CRITICAL ALLERGY: Ann Lee" in await hooked(practice, "Prescribe something for Ann Lee.")
    async with client_of(practice) as client:
        monkeypatch.setattr(practice.store, "subjects", lost)
        answer = await called(client, "memory_hook_context", prompt="Prescribe something for Ann Lee.")
    assert "SAFETY MEMORY UNAVAILABLE: something was recorded" in answer["hookSpecificOutput"]["additionalContext"]


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
