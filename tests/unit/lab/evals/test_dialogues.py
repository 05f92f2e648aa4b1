"""Dialogues told to a memory: what it then believes, and what becomes of trouble."""

from collections.abc import Sequence

import anyio
import pytest
from typing_extensions import override

from r_memory.domain.facts import Entity
from r_memory.errors import InvalidInput, StoreUnavailable
from r_memory.protocols import Neighbourhood, Traversal
from r_memory.testing.dict_store import DictStore
from r_memory_lab.evals.dialogues import Dialogue, believed_after, each
from tests.unit.memory_world import ALLERGY, DENIAL, MAYBE, a_world

pytestmark = pytest.mark.anyio


def dialogue(*texts: str) -> Dialogue:
    return Dialogue(id="talk", turns=tuple(("patient", text) for text in texts))


async def believed(*texts: str) -> list[str]:
    facts = await believed_after(a_world().memory, dialogue(*texts))
    return [f"{fact.relation} {fact.object.id} {fact.status}" for fact in facts]


async def test_a_stated_risk_is_believed() -> None:
    assert await believed(ALLERGY) == ["HAS_ALLERGY_TO penicillin active"]
    assert await believed(MAYBE) == ["HAS_ALLERGY_TO penicillin unconfirmed"]


async def test_a_denied_one_is_not() -> None:
    assert await believed(DENIAL) == []


async def test_turns_are_told_in_order_as_one_conversation_and_blank_ones_are_left_out() -> None:
    world = a_world()
    await believed_after(world.memory, dialogue("First.", "  ", "Second."))
    assert [(heard.text, len(heard.before)) for heard in world.extractor.heard] == [("First.", 0), ("Second.", 1)]


async def test_a_dialogue_without_words_gives_nothing() -> None:
    assert await believed(" ", "") == []


class Forgetful(DictStore):
    """Cannot read one relation."""

    @override
    async def neighbourhood(
        self, subject: Entity, relations: Sequence[str], traversals: Sequence[Traversal] = ()
    ) -> Neighbourhood:
        return Neighbourhood(facts=(), pending=(), failed={"HAS_ALLERGY_TO": "altered"})


async def test_a_relation_that_cannot_be_read_is_no_miss() -> None:
    """A figure over answers that never came would be wrong."""
    with pytest.raises(StoreUnavailable, match="HAS_ALLERGY_TO"):
        await believed_after(a_world(store=Forgetful()).memory, dialogue(ALLERGY))


async def test_results_come_in_order_of_the_rows_however_long_each_takes() -> None:
    done: list[int] = []

    async def work(row: int) -> int:
        for _ in range(10 - row):
            await anyio.lowlevel.checkpoint()
        return row * row

    assert await each(range(10), work, lambda: done.append(1)) == tuple(row * row for row in range(10))
    assert len(done) == 10


async def test_the_first_error_comes_out_as_it_is() -> None:
    async def work(row: int) -> int:
        if row == 3:
            raise InvalidInput("row 3")
        return row

    with pytest.raises(InvalidInput, match="row 3"):
        await each(range(10), work, lambda: None)
