"""What a person decides in the chat about what waits."""

import re

import pytest

from r_memory.domain.changes import Change
from r_memory.domain.facts import Status
from r_memory_chat.events import CommandDone, Event, Failed
from tests.unit.chat.chat_world import ChatWorld
from tests.unit.facts.recall.world import JOHN
from tests.unit.memory_world import ALLERGY

pytestmark = pytest.mark.anyio


def told(events: list[Event]) -> str:
    (event,) = events
    return event.told if isinstance(event, CommandDone) else event.reason if isinstance(event, Failed) else ""


async def asked_to_refute(world: ChatWorld) -> str:
    """The id by which `/waits` names an assistant's request about a critical fact."""
    await world.send(ALLERGY)
    [fact] = (await world.memory.list_facts(subject=JOHN.id)).facts
    await world.memory.request_change(
        fact.fact_id, Change.REFUTE, reason="a test was negative", actor="assistant", version=fact.last_seq
    )
    listed = told(await world.send("/waits"))
    assert "asked to refute" in listed
    found: str = re.findall(r"^(\S{8})  asked", listed, re.MULTILINE)[0]
    return found


async def test_a_change_that_an_assistant_asked_for_is_made_by_who_types_in_the_chat() -> None:
    world = await ChatWorld().with_john()
    id_ = await asked_to_refute(world)
    assert told(await world.send(f"/approve {id_} I saw the letter")).startswith("Done: ")
    [fact] = (await world.memory.list_facts(subject=JOHN.id, statuses=["refuted"])).facts
    assert fact.status is Status.REFUTED
    assert "Nothing waits" in told(await world.send("/waits"))


async def test_a_request_that_is_dismissed_leaves_the_risk_as_it_was() -> None:
    world = await ChatWorld().with_john()
    id_ = await asked_to_refute(world)
    assert told(await world.send(f"/dismiss {id_} not yet")).startswith("Settled")
    [fact] = (await world.memory.list_facts(subject=JOHN.id)).facts
    assert fact.status is Status.ACTIVE


@pytest.mark.parametrize("order", ["/approve", "/approve 12", "/dismiss 00000000 why"])
async def test_an_id_that_names_nothing_that_waits_changes_nothing(order: str) -> None:
    world = await ChatWorld().with_john()
    assert "/waits lists them" in told(await world.send(order))
