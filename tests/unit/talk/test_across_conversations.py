"""Memory does not end with a conversation: what was said in another about the same subject is found, and labelled."""

from dataclasses import replace

import pytest

from r_memory.domain.memories import MemoryItem
from r_memory.domain.turns import Part, PreparedSections
from r_memory_talk.profiles import PROFILES
from r_memory_talk.stream.values import NewTurn
from r_memory_talk.tiers.local_writer import LocalMemoryWriter
from r_memory_talk.tiers.tiers import Tiers
from tests.unit.talk.world import MINUTE, SPACE, World, said

pytestmark = pytest.mark.anyio
JOHN, JANE = "clinic/Patient/JD001", "clinic/Patient/JR002"
DAY = 86_400_000
BOAT = "The boat lies at pier nineteen."
WHERE = "Where does the boat lie?"


async def told(world: World, *texts: str, conversation: str = "monday", subject_uid: str = JOHN) -> None:
    for text in texts:
        world.clock.advance(MINUTE)
        await world.conversations.finish(said(text, "I see.", conversation, subject_uid=subject_uid))


async def asked(
    world: World, question: str = WHERE, *, conversation: str = "tuesday", subject_uid: str = JOHN, profile: str = ""
) -> PreparedSections:
    return await world.conversations.prepare(question, conversation, subject_uid=subject_uid, profile=profile)


def memory_of(prepared: PreparedSections) -> str:
    return "\n".join(section.text for section in prepared.sections if section.part is Part.MEMORY)


@pytest.mark.parametrize("profile", PROFILES)
async def test_what_was_told_on_monday_stands_in_the_first_question_of_tuesday_with_its_day(profile: str) -> None:
    world = World()
    await told(world, BOAT)
    world.clock.advance(DAY)
    assert f"(Turn 1 of monday, 2026-11-21)\n{BOAT}\nI see." in memory_of(await asked(world, profile=profile))


async def test_a_conversation_about_somebody_else_or_nobody_is_never_looked_at() -> None:
    world = World()
    await told(world, BOAT)
    await told(world, "Good morning.", "Lovely weather.", "It rains.", conversation="tuesday", subject_uid=JANE)
    assert "pier" not in memory_of(await asked(world, subject_uid=JANE))
    assert "pier" not in memory_of(await asked(world, subject_uid=""))


async def test_at_most_a_third_of_the_places_goes_to_others_where_this_conversation_can_fill_the_rest() -> None:
    world = World()
    await told(world, *(f"The boat was at pier {number} once." for number in range(12)))
    await told(world, *(f"We painted the boat at quay {number}." for number in range(12)), conversation="tuesday")
    lines = memory_of(await asked(world)).splitlines()
    assert len([line for line in lines if line.startswith("(Turn")]) == 6
    assert len([line for line in lines if "of monday" in line]) <= 2


async def test_switched_off_each_conversation_stands_alone() -> None:
    world = World(profiles={name: replace(one, elsewhere=0.0) for name, one in PROFILES.items()})
    await told(world, BOAT)
    await told(world, "Good morning.", "Lovely weather.", "It rains.", conversation="tuesday")
    assert "pier" not in memory_of(await asked(world))


async def test_a_conversation_that_rested_for_a_day_becomes_a_memory_with_the_next_turn() -> None:
    world = World()
    world.conversations.tiers = Tiers(world.stream, LocalMemoryWriter(world.shortener))
    await told(world, BOAT, "It needs paint.")
    await told(world, "Good morning.", conversation="tuesday")
    assert await memories(world) == []
    world.clock.advance(DAY)
    await told(world, "Good morning.", "Hello again.", conversation="wednesday")
    (memory,) = await memories(world)
    assert "pier nineteen" in memory.summary
    assert len(memory.sources) == 2
    await told(world, "It rains.", conversation="wednesday")
    assert len(await memories(world)) == 1


async def memories(world: World) -> list[MemoryItem]:
    return [item for item in await world.stream.items("monday", subject_uid=JOHN) if item.tier.value == "medium"]


async def test_another_space_is_another_memory() -> None:
    world, other = World(), World()
    other.store.__dict__.update(world.store.__dict__)
    await told(world, BOAT)
    stream = other.stream
    stream.space = f"not-{SPACE}"
    await stream.append(NewTurn(conversation="tuesday", observation="Good morning.", subject_uid=JOHN))
    found = await stream.search(WHERE, conversation="tuesday", subject_uid=JOHN, k=6, elsewhere=6)
    assert [hit.item.observation for hit in found.chosen] == ["Good morning."]
