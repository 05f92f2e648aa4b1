"""What every store of the conversational memory must do alike: the oracle, the embedded database, both Neo4j."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from r_memory.domain.memories import Amendment, MemoryItem, Tier
from r_memory.errors import InvalidInput, StoreError, WriteConflict
from r_memory.protocols import StreamStore
from r_memory.store.bolt import Endpoint
from tests.store.stores import Database
from tests.store.stream_world import a_vector, an_item, opened_stream
from tests.store.world import NOW, a_space

pytestmark = pytest.mark.anyio


@pytest.fixture
async def stream(place: Endpoint | None) -> AsyncIterator[StreamStore]:
    async with opened_stream(place) as stream:
        yield stream


async def told(stream: StreamStore, space: str, number: int, **changes: object) -> list[MemoryItem]:
    """Items stored one after the other."""
    return [(await stream.add_memories([an_item(space, f"turn {n}", **changes)]))[0] for n in range(number)]


async def everything(stream: StreamStore, space: str) -> tuple[MemoryItem, ...]:
    return (await stream.memory_changes(space, after=0)).items


async def test_an_item_comes_back_with_every_field(stream: StreamStore) -> None:
    space = a_space()
    item = an_item(
        space,
        "I like apples. 青黴素 '\"; DROP",
        conversation="visit/7",
        subject_uid=f"{space}/Patient/JD001",
        responder="NPC",
        response="Me too!",
        objections=("CRITICAL ALLERGY: JD is allergic to apples.", "Another."),
        summary="Apples are liked.",
        sources=("a", "b"),
        vector=a_vector(0.1, -2.5e-7, 3.0),
        importance=9,
        flags=("importance",),
    )
    (stored,) = await stream.add_memories([item])
    assert stored == replace(item, index=1, change=1, seq=1)
    assert await stream.memories(space, [item.id, "unknown", item.id]) == (stored,)
    assert await everything(stream, space) == (stored,)


async def test_turns_are_numbered_in_each_conversation_and_changes_in_the_space(stream: StreamStore) -> None:
    space = a_space()
    first = await stream.add_memories([an_item(space), an_item(space)])
    other = await stream.add_memories([an_item(space, conversation="d")])
    same_name = await stream.add_memories([an_item(space, subject_uid=f"{space}/Patient/A")])
    again = await stream.add_memories([an_item(space)])
    found = [(item.index, item.change) for items in (first, other, same_name, again) for item in items]
    assert found == [(1, 1), (2, 2), (1, 3), (1, 4), (3, 5)]
    assert [item.change for item in await everything(stream, space)] == [1, 2, 3, 4, 5]


async def test_what_is_made_of_turns_has_no_place_among_them(stream: StreamStore) -> None:
    space = a_space()
    (turn,) = await stream.add_memories([an_item(space)])
    (made,) = await stream.add_memories(
        [an_item(space, "", summary="Bern.", tier=Tier.MEDIUM, sources=(turn.id,), speaker="")]
    )
    (after,) = await stream.add_memories([an_item(space)])
    assert (turn.index, made.index, after.index) == (1, 0, 2)


@pytest.mark.proves("Z18")
async def test_an_item_added_again_is_the_one_stored_first(stream: StreamStore) -> None:
    space = a_space()
    (first,) = await stream.add_memories([an_item(space)])
    again = await stream.add_memories([replace(first, observation="other words", index=0)])
    assert again == (first,)
    mixed = await stream.add_memories([replace(first, index=0), an_item(space, "new")])
    assert (mixed[0], mixed[1].index) == (first, 2)
    assert len(await everything(stream, space)) == 2


async def test_turns_told_at_once_are_all_stored_under_numbers_of_their_own(stream: StreamStore) -> None:
    space = a_space()
    stored = await asyncio.gather(*(stream.add_memories([an_item(space, f"turn {n}")]) for n in range(12)))
    assert sorted(items[0].index for items in stored) == list(range(1, 13))
    assert sorted(items[0].change for items in stored) == list(range(1, 13))


async def test_two_servers_at_once_give_no_number_twice(engine_place: Endpoint) -> None:
    space = a_space()
    async with opened_stream(engine_place) as one, opened_stream(engine_place) as other:
        writers = [(one, other)[n % 2].add_memories([an_item(space, f"turn {n}")]) for n in range(10)]
        stored = await asyncio.gather(*writers)
        assert sorted(items[0].index for items in stored) == list(range(1, 11))
        assert await everything(one, space) == await everything(other, space)


async def test_changes_are_told_in_parts_until_nothing_is_left(stream: StreamStore) -> None:
    space = a_space()
    items = await told(stream, space, 5)
    first = await stream.memory_changes(space, after=0, limit=3)
    assert (list(first.items), first.removed, first.upto, first.latest) == (items[:3], (), 3, 5)
    second = await stream.memory_changes(space, after=first.upto, limit=3)
    assert (list(second.items), second.upto, second.latest) == (items[3:], 5, 5)
    done = await stream.memory_changes(space, after=5)
    assert (done.items, done.removed, done.upto, done.latest) == ((), (), 5, 5)
    empty = await stream.memory_changes(a_space(), after=0)
    assert (empty.items, empty.upto, empty.latest) == ((), 0, 0)


async def test_an_amended_item_is_told_again_as_it_is_now(stream: StreamStore) -> None:
    space = a_space()
    first, second = await told(stream, space, 2)
    vector = a_vector()
    assert await stream.amend_memories(
        space,
        [Amendment(id=first.id, summary="short", vector=vector, importance=8), Amendment(id="gone", summary="x")],
    ) == 1  # fmt: skip
    changes = await stream.memory_changes(space, after=second.change)
    (amended,) = changes.items
    assert replace(amended, change=0) == replace(first, change=0, summary="short", vector=vector, importance=8)
    assert await stream.amend_memories(space, []) == 0


async def test_a_touch_changes_when_an_item_was_used_and_nothing_else(stream: StreamStore) -> None:
    space = a_space()
    first, second = await told(stream, space, 2)
    assert await stream.touch_memories(space, [first.id, first.id, "gone"], at=NOW + 9_000) == 1
    (touched,) = (await stream.memory_changes(space, after=second.change)).items
    assert replace(touched, change=0) == replace(first, change=0, accessed_at=NOW + 9_000)
    assert await stream.touch_memories(space, [], at=NOW) == 0


async def test_removed_items_leave_an_id_and_no_words(stream: StreamStore) -> None:
    space = a_space()
    items = await told(stream, space, 3)
    gone = [item.id for item in items[1:]]
    assert await stream.remove_memories(space, items[0].conversation_uid, gone, turns=3, left=1) == 2
    changes = await stream.memory_changes(space, after=items[-1].change)
    assert (changes.items, sorted(changes.removed)) == ((), sorted(gone))
    assert await stream.memories(space, gone) == ()
    assert await everything(stream, space) == (items[0],)
    (again,) = await stream.add_memories([replace(items[1], index=0, change=0, seq=0)])
    assert (again.index, again.observation) == (2, "turn 1")


async def test_a_conversation_that_grew_meanwhile_is_not_rolled_back(stream: StreamStore) -> None:
    space = a_space()
    items = await told(stream, space, 3)
    with pytest.raises(WriteConflict):
        await stream.remove_memories(space, items[0].conversation_uid, [items[1].id], turns=2, left=1)
    assert await everything(stream, space) == tuple(items)
    assert await stream.remove_memories(space, items[0].conversation_uid, [], turns=9, left=0) == 0


async def test_no_space_sees_another(stream: StreamStore) -> None:
    space, other = a_space(), a_space()
    (item,) = await told(stream, space, 1)
    assert await stream.memories(other, [item.id]) == ()
    assert await everything(stream, other) == ()
    assert await stream.touch_memories(other, [item.id], at=NOW) == 0
    assert await stream.amend_memories(other, [Amendment(id=item.id, summary="mine")]) == 0
    (twin,) = await stream.add_memories([replace(item, space=other, index=0, change=0, seq=0)])
    assert (twin.index, twin.change) == (1, 1)
    assert await stream.memories(space, [item.id]) == (item,)


@pytest.mark.parametrize("broken", ["two conversations", "turn and summary", "one id twice"])
async def test_a_write_of_unlike_items_is_refused(stream: StreamStore, broken: str) -> None:
    space = a_space()
    first = an_item(space)
    second = {
        "two conversations": an_item(space, conversation="d"),
        "turn and summary": an_item(space, tier=Tier.MEDIUM),
        "one id twice": first,
    }[broken]
    with pytest.raises(InvalidInput):
        await stream.add_memories([first, second])
    assert await everything(stream, space) == ()


@pytest.mark.parametrize("text", ["nul \x00", "half \ud83d"])
async def test_what_no_store_keeps_is_refused(stream: StreamStore, text: str) -> None:
    with pytest.raises(InvalidInput):
        await stream.add_memories([an_item(a_space(), text)])
    assert await stream.add_memories([]) == ()


@pytest.mark.parametrize(
    ("property_", "value"), [("importance", "high"), ("observation", 7), ("seq", None), ("tier", "x"), ("sources", "a")]
)
async def test_an_item_that_somebody_spoiled_is_an_error_that_names_the_property_and_is_not_left_out(
    database: Database, property_: str, value: object
) -> None:
    stream, space = database.store.stream, a_space()
    (item,) = await stream.add_memories([an_item(space)])
    await database.run(
        "MATCH (memory:Memory {space: $space, id: $id}) SET memory += $spoiled",
        space=space,
        id=item.id,
        spoiled={property_: value},
    )
    for reading in (stream.memory_changes(space, after=0), stream.memories(space, [item.id])):
        with pytest.raises(StoreError, match=f"'{property_}'"):
            await reading


async def test_an_item_whose_vector_somebody_spoiled_comes_back_without_it(database: Database) -> None:
    stream, space = database.store.stream, a_space()
    (item,) = await stream.add_memories([an_item(space, vector=a_vector())])
    await database.run(
        "MATCH (memory:Memory {space: $space, id: $id}) SET memory.embedding = 'no numbers'", space=space, id=item.id
    )
    assert (await stream.memory_changes(space, after=0)).items == (
        replace(item, index=1, seq=1, change=1, vector=None),
    )
