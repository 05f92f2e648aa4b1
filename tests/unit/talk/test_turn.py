"""A whole turn of the memory: the safety block stands first and goes out whatever becomes of the conversation."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from r_memory.domain.blocks import Receipt
from r_memory.domain.turns import PreparedSections, TurnContext
from r_memory.errors import InvalidInput, StoreUnavailable, SubjectRequired, UnknownName
from r_memory.protocols import Neighbourhood
from tests.unit.memory_world import ALLERGY, World, a_world
from tests.unit.talk.world import World as Talks

pytestmark = pytest.mark.anyio
JOHN: dict[str, Any] = {"subject": "JD001", "conversation_id": "visit"}


@pytest.fixture
async def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """John Doe's allergy, and three turns of a talk about other things."""
    world, talks = a_world(), Talks()
    monkeypatch.setattr(world.memory.talk, "conversations", talks.conversations)
    await world.memory.remember(ALLERGY, subject="JD001", subject_name="John Doe", speaker="patient")
    for asked, answered in (("My dog is Rex.", "Noted."), ("I drive a van.", "Good."), ("Tea, please.", "Here.")):
        await world.memory.finish_turn(asked, answered, **JOHN)
    return world


Failing = Callable[[Exception | None], None]


@pytest.fixture
def failing(world: World, monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Makes the conversation fail with an error, or hang without one."""

    def fail(error: Exception | None) -> None:
        async def prepare(*_: object, **__: object) -> PreparedSections:
            if error is None:
                await asyncio.Event().wait()
            raise error or AssertionError

        monkeypatch.setattr(world.memory.talk.conversations, "prepare", prepare)

    return fail


async def test_the_block_stands_first_then_the_conversation_then_the_question_unchanged(world: World) -> None:
    turn = await world.memory.build_turn("What is my dog called?", **JOHN)
    assert turn.text.startswith("[R-MEMORY CONTEXT]:")
    assert turn.text.index("[END R-MEMORY CONTEXT]") < turn.text.index("[CONVERSATION SUMMARY]:")
    assert "My dog is Rex." in turn.memory
    assert turn.text.endswith("[QUERY]:\nWhat is my dog called?")


async def test_an_answer_that_could_not_be_held_against_the_facts_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def check_text(*_: object, **__: object) -> None:
        raise StoreUnavailable("the store does not answer")

    monkeypatch.setattr(world.memory.talk._facts.recalling, "check_text", check_text)
    done = await world.memory.finish_turn("A sore throat?", "Take amoxicillin.", **JOHN)
    assert done.item.answer == (
        "(objected: it could not be held against the memory: the store does not answer.) Take amoxicillin."
    )


@pytest.mark.parametrize(
    ("failed", "objected"),
    [
        (None, "it could not be held against the memory: the store does not answer."),
        ({"TAKES": "its query broke off"}, "it could not be held against TAKES."),
    ],
)
async def test_an_answer_is_objected_to_where_the_check_of_it_could_not_read_the_facts(
    world: World, monkeypatch: pytest.MonkeyPatch, failed: dict[str, str] | None, objected: str
) -> None:
    """A recall turns a store that fails into words: what was not compared is not without objections."""

    async def neighbourhood(*_: object) -> Neighbourhood:
        if failed is None:
            raise StoreUnavailable("the store does not answer")
        return Neighbourhood(facts=(), pending=(), failed=failed)

    monkeypatch.setattr(world.store, "neighbourhood", neighbourhood)
    done = await world.memory.finish_turn("A sore throat?", "Take amoxicillin.", **JOHN)
    assert done.item.objections == (objected,)
    assert done.item.summary == ""


async def test_without_a_conversation_a_turn_is_the_block_alone(world: World) -> None:
    turn = await world.memory.build_turn("What is my dog called?", subject="JD001")
    assert (turn.prepared, turn.memory) == (None, "")


async def test_no_number_of_tokens_cuts_the_block_or_the_question(world: World) -> None:
    whole = await world.memory.build_turn("What is my dog called?", **JOHN)
    tight = await world.memory.build_turn("What is my dog called?", max_tokens=1, **JOHN)
    assert tight.memory == ""
    assert tight.block.splitlines()[1:] == whole.block.splitlines()[1:]


@pytest.mark.parametrize("error", [StoreUnavailable("the store did not answer"), ValueError("a mistake of ours")])
async def test_whatever_fails_in_the_conversation_is_named_and_the_block_goes_out(
    world: World, failing: Failing, error: Exception
) -> None:
    failing(error)
    turn = await world.memory.build_turn("Order penicillin.", **JOHN)
    assert "is allergic to Penicillin" in turn.block
    assert turn.memory == "[MISSING]: conversation could not be read."
    assert turn.trouble in {"the store did not answer", "ValueError"}


async def test_a_conversation_that_takes_too_long_is_not_waited_for(world: World, failing: Failing) -> None:
    failing(None)
    world.memory.facts.limits = replace(world.memory.limits, conversation_s=0.01)
    turn = await world.memory.build_turn("Order penicillin.", **JOHN)
    assert "is allergic to Penicillin" in turn.block
    assert "call again" in turn.trouble


async def test_wrong_names_are_refused_before_anything_is_read(world: World) -> None:
    with pytest.raises(UnknownName, match="profil"):
        await world.memory.build_turn("Tea?", profile="scmm", **JOHN)
    with pytest.raises(UnknownName, match="section"):
        await world.memory.build_turn("Tea?", sections=["smell"], **JOHN)
    with pytest.raises(SubjectRequired):
        await world.memory.build_turn("Tea?")
    with pytest.raises(InvalidInput, match="no conversation is named"):
        await world.memory.finish_turn("Tea?", "Yes.", subject="JD001", conversation_id=" ")
    with pytest.raises(InvalidInput, match="what was answered"):
        await world.memory.finish_turn("Tea?", " ", **JOHN)


async def test_a_conversation_about_nobody_has_its_sections_and_nobodys_block(world: World) -> None:
    """Issue 15.10: nothing of it is anybody's, and the block says that nothing was looked up."""
    await world.memory.finish_turn("The ferry leaves at nine.", "Good to know.", conversation_id="visit")
    turn = await world.memory.build_turn("When does the ferry leave?", conversation_id="visit")
    assert turn.recall is None
    assert "ferry leaves at nine" in turn.memory
    assert "Rex" not in turn.text
    assert "no facts were looked up" in turn.block
    assert "Penicillin" not in turn.text
    with pytest.raises(SubjectRequired):
        await world.memory.build_turn("When does the ferry leave?")


async def test_whoever_is_not_named_is_stored_by_role_and_never_as_the_subject(world: World) -> None:
    """Issue 15.9: a nurse may type; the patient did not say it."""
    finished = await world.memory.finish_turn("He sleeps badly.", "Noted.", **JOHN)
    assert (finished.item.speaker, finished.item.responder) == ("user", "assistant")
    named = await world.memory.finish_turn("He sleeps well.", "Noted.", speaker="clinician", **JOHN)
    assert named.item.speaker == "clinician"


@pytest.mark.parametrize("conversation", ["", "c1"])
async def test_a_receipt_that_could_not_be_written_is_not_said_to_be(
    world: World, monkeypatch: pytest.MonkeyPatch, conversation: str
) -> None:
    """It is written beside the rest, which is made as if it had been."""

    async def add_receipt(_: object) -> None:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(world.store, "add_receipt", add_receipt)
    turn = await world.memory.build_turn("Order penicillin.", subject="JD001", conversation_id=conversation)
    assert turn.recall is not None
    assert turn.recall.receipt_id == ""
    assert "is allergic to Penicillin" in turn.block
    assert "Receipt not recorded." in turn.text


async def test_the_conversation_is_prepared_while_the_receipt_is_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store holds the receipt back until the conversation was looked at; yet the answer carries it."""
    looked = asyncio.Event()
    add_receipt, prepare = world.store.add_receipt, world.memory.talk.conversations.prepare

    async def late(receipt: Receipt) -> None:
        async with asyncio.timeout(5):
            await looked.wait()
        await add_receipt(receipt)

    async def noted(*args: str, **options: object) -> PreparedSections:
        looked.set()
        return await prepare(*args, **options)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(world.store, "add_receipt", late)
    monkeypatch.setattr(world.memory.talk.conversations, "prepare", noted)
    turn = await world.memory.build_turn("Order penicillin.", **JOHN)
    assert turn.recall is not None
    assert await world.store.receipt("clinic", turn.recall.receipt_id) is not None
    assert f"Receipt {turn.recall.receipt_id}." in turn.text


async def test_the_answer_is_drawn_up_while_the_receipt_is_written(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store holds the receipt back until somebody saw the turn, which is the one that comes back."""
    seen: list[TurnContext] = []
    looked = asyncio.Event()
    add_receipt = world.store.add_receipt

    async def late(receipt: Receipt) -> None:
        async with asyncio.timeout(5):
            await looked.wait()
        await add_receipt(receipt)

    def look(turn: TurnContext) -> None:
        seen.append(turn)
        looked.set()

    monkeypatch.setattr(world.store, "add_receipt", late)
    turn = await world.memory.build_turn("Order penicillin.", subject="JD001", meanwhile=look)
    assert seen[0].block == turn.block
    assert turn.recall is not None
    assert await world.store.receipt("clinic", turn.recall.receipt_id) is not None
