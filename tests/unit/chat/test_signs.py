"""Each sign of failure is seen where it was planted, and nowhere in a hundred clean turns (T-24)."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from r_memory.config.conversation_file import load_lesson
from r_memory.config.files import Files
from r_memory.domain.memories import MemoryItem
from r_memory.domain.turns import CandidateScore, Form, Judgement, TurnDecision
from r_memory.providers.wordllama import WordLlamaEmbedder
from r_memory_chat.signs import Sign, sign_totals, signatures, signs_of
from r_memory_talk.controller.gate import Familiar
from r_memory_talk.controller.local import LocalJudge
from tests.unit.chat.chat_world import ChatWorld
from tests.unit.talk.world import MINUTE, TALK, World, said

ANN = "clinic/Patient/P1"
CITIES = ("Oslo", "Lima", "Cairo", "Delhi", "Quito", "Turin", "Perth", "Kyoto", "Dakar", "Basel")
THINGS = ("harbour", "market", "library", "museum", "station", "bakery", "theatre", "garden", "bridge", "tower")


def a_turn(index: int, asked: str, answered: str) -> MemoryItem:
    return MemoryItem(
        id=f"t{index}",
        space="clinic",
        conversation="c",
        index=index,
        observation=asked,
        response=answered,
        created_at=0,
        accessed_at=0,
    )


def a_decision(
    turn: int, *, opened: bool, used: Sequence[str] = (), relevance: float = 0.1, ms: float = 12.0
) -> TurnDecision:
    candidates = [
        CandidateScore(id=id_, score=1.0, components={"lexical": 1.0, "semantic": relevance}, form=Form.RAW, tokens=9)
        for id_ in used
    ] or [
        CandidateScore(
            id="t1", score=relevance, components={"lexical": 1.0, "semantic": relevance}, form=Form.NOT_CHOSEN
        )
    ]
    return TurnDecision(
        id=f"d{turn}",
        space="clinic",
        conversation="c",
        turn=turn,
        at=0,
        profile="default",
        gate=Judgement(yes=opened, by="local/1"),
        candidates=tuple(candidates),
        steps_ms={"gate": ms / 3, "search": 2 * ms / 3},
    )


def clean() -> tuple[list[TurnDecision], list[MemoryItem]]:
    """A hundred turns: half ask about an earlier one and are answered from it, half are new."""
    turns: list[MemoryItem] = []
    decisions: list[TurnDecision] = []
    for number in range(100):
        city, thing = CITIES[number % 10], THINGS[number // 10]
        index = number + 1
        if number % 2 and number > 2:
            before = turns[number - 3]
            turns.append(a_turn(index, f"What did we say in {number}?", f"Earlier, {number}: {before.response}"))
            decisions.append(a_decision(index, opened=True, used=[before.id]))
        else:
            told = f"The {thing} of {city} opens at {number} with entry {number * 7} over gate {number * 3}."
            turns.append(a_turn(index, f"Tell me of the {thing} in {city}.", told))
            decisions.append(a_decision(index, opened=False))
    return decisions, turns


@pytest.mark.proves("T-24", "SCM-39")
def test_a_hundred_clean_turns_show_no_sign() -> None:
    assert signatures(*clean()) == ()


@pytest.mark.proves("T-24", "SCM-39")
@pytest.mark.anyio
async def test_a_hundred_clean_turns_of_the_real_gate_and_search_show_no_sign() -> None:
    """Issue 15.12: decisions as they are made, not as somebody thinks of them."""
    lesson = load_lesson(Files(home=None))
    embedder = WordLlamaEmbedder()
    world = World(embedder=embedder, familiar=Familiar(lesson))
    world.conversations.judge = LocalJudge(lesson, embedder)
    parts = yaml.safe_load((Path(__file__).parent / "clean_turns.yaml").read_text(encoding="utf-8"))
    chance = random.Random(7)
    for number in range(2):
        later = [*parts["asked"], *parts["asked"], *chance.choices(parts["general"], k=10)]
        chance.shuffle(later)
        for question, answer in (*parts["told"], *chance.choices(parts["general"], k=10), *later):
            await world.conversations.prepare(question, f"{TALK}-{number}", subject_uid=ANN)
            world.clock.advance(3 * MINUTE)
            await world.conversations.finish(said(question, answer, f"{TALK}-{number}", subject_uid=ANN))
    chat = ChatWorld()
    chat.memory.talk.stream, chat.memory.talk.conversations = world.stream, world.conversations
    names = [name for name, _ in await world.stream.everyone()]
    found = [each for name in names for each in await signs_of(chat.memory.talk, name, ANN)]
    turns = [item for name in names for item in await world.conversations.turns(name, subject_uid=ANN)]
    assert len(turns) == 100
    # How long it takes is the machine's affair.
    assert [each for each in found if each.sign is not Sign.SLOW] == []


@pytest.mark.proves("T-24", "SCM-39")
@pytest.mark.parametrize(
    ("sign", "decision", "answer"),
    [
        (Sign.OVER_TRIGGERED, a_decision(101, opened=True, used=["t1"]), "Seven times eight makes fifty-six, easily."),
        (
            Sign.UNDER_TRIGGERED,
            a_decision(101, opened=False, relevance=0.8),
            "I cannot tell which one you mean, sorry.",
        ),
        (Sign.SLOW, a_decision(101, opened=False, ms=9_000), "Patience brings roses, as grandmother used to say."),
        (
            Sign.REPETITIVE,
            a_decision(101, opened=False),
            "The harbour of Oslo opens at 0 with entry 0 over gate 0.",
        ),
        (
            Sign.CONTRADICTORY,
            a_decision(101, opened=False),
            "The harbour of Oslo never opens at 0 with entry 0 over gate 0.",
        ),
    ],
)
def test_a_planted_failure_is_seen_and_nothing_else(sign: Sign, decision: TurnDecision, answer: str) -> None:
    decisions, turns = clean()
    turns.append(a_turn(101, "How about the harbour of Oslo then?", answer))
    assert [(signature.sign, signature.turn) for signature in signatures([*decisions, decision], turns)] == [
        (sign, 101)
    ]


def test_no_sign_tells_what_was_said() -> None:
    decisions, turns = clean()
    turns.append(a_turn(101, "Secret?", "The harbour of Oslo opens at 0 with entry 0 over gate 0."))
    assert all("Oslo" not in signature.because for signature in signatures(decisions, turns))


@pytest.mark.anyio
async def test_signs_are_added_up_by_conversation() -> None:
    world = ChatWorld()
    answer = "The ferry to the island leaves the northern pier at nine in the morning."
    await world.talk.talk(("When does the ferry leave?", answer), ("What does the plumber want?", answer))
    await world.talk.talk(("Tea or coffee?", "Tea."), conversation="other")
    assert dict(await sign_totals(world.memory.talk)) == {TALK: {"repetitive": 1}, "other": {}}
