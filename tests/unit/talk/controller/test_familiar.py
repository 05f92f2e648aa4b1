"""The gate opens for what is there, whatever its judge says, and stays shut for what everybody may ask."""

import pytest

from r_memory.config.conversation_file import load_lesson
from r_memory.config.files import Files
from r_memory.domain.memories import Tier
from r_memory.domain.turns import Part
from r_memory_talk.controller.gate import Familiar
from r_memory_talk.stream.values import NewTurn
from tests.scripted import ScriptedJudge
from tests.unit.talk.world import TALK, World

pytestmark = pytest.mark.anyio
FAMILIAR = Familiar(load_lesson(Files(home=None)))
MANUAL = (
    "The espresso machine must be descaled every three months with citric acid.",
    "Never pour vinegar into the tank: it attacks the rubber seals.",
    "The grinder has nine settings; setting four suits light roasts.",
    "If the red lamp blinks, the drip tray is full and has to be emptied.",
    "The warranty ends two years after the invoice was issued.",
    "Spare gaskets are ordered from Brunner in Winterthur, part number 8114.",
    "The boiler holds one litre and reaches 96 degrees.",
    "The steam wand is cleaned with a damp cloth after each use.",
)
TOLD = ("My sister Ingrid keeps bees in Gotland.", "We painted the shed with linseed oil.")
ABOUT = (
    "How often must the machine be descaled?",
    "Which acid descales the espresso machine?",
    "What does vinegar do to the seals?",
    "Which setting of the grinder suits light roasts?",
    "Why does the red lamp blink?",
    "When does the warranty end?",
    "Who sells spare gaskets?",
    "What is the part number of the gaskets?",
    "How much does the boiler hold?",
    "How is the steam wand cleaned?",
    "What does Ingrid keep in Gotland?",
    "What was the shed painted with?",
)
ANYTHING = (
    "What is the capital of Norway?",
    "Translate good evening into Italian.",
    "What time is it?",
    "Tell me a joke.",
    "How many legs does a spider have?",
    "Write a haiku about rain.",
    "Play some music.",
    "Explain what a prime number is.",
    "How old are you?",
    "Set a timer for ten minutes.",
    "Who wrote War and Peace?",
    "Spell necessary.",
)


async def opened(world: World, question: str) -> bool:
    prepared = await world.conversations.prepare(question, TALK, parts=(Part.MEMORY,), probe=True)
    return prepared.decision.gate.yes is True


async def test_questions_about_what_was_read_or_told_open_the_gate_though_the_judge_says_no() -> None:
    world = World(judge=ScriptedJudge(needed=False), familiar=FAMILIAR)
    for number, text in enumerate(MANUAL):
        await world.stream.append(
            NewTurn(conversation="document-manual", speaker="m", observation=text, tier=Tier.DOCUMENT, key=str(number))
        )
    await world.talk(*((text, "I see.") for text in TOLD))
    shut = [question for question in ABOUT if not await opened(world, question)]
    assert len(shut) <= 1, shut
    opened_in_vain = [question for question in ANYTHING if await opened(world, question)]
    assert opened_in_vain == []


async def test_a_chinese_question_is_known_by_its_words_and_not_by_pairs_across_their_borders() -> None:
    world = World(judge=ScriptedJudge(needed=False), familiar=FAMILIAR)
    told = ("周末不许施工。", "垃圾每天晚上八点收。", "快递柜在东门右侧。")
    await world.talk(*((text, "好的。") for text in (*told, *TOLD)))
    asked = ("周末可以施工吗？", "垃圾几点收？", "快递柜在哪里？")  # noqa: RUF001 - full-width as people type it
    assert [await opened(world, question) for question in asked] == [True] * 3
    assert not await opened(world, "秘鲁的首都是哪里？")  # noqa: RUF001 - as above


async def test_without_a_question_nothing_opens() -> None:
    world = World(judge=ScriptedJudge(needed=False), familiar=FAMILIAR)
    await world.talk(*((text, "I see.") for text in TOLD))
    assert [await opened(world, question) for question in ("", "?", "the of and")] == [False, False, False]
