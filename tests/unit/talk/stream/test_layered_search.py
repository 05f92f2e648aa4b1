"""What a memory was made of: searched or left out by layer, compared by likeness, never erased."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from r_memory.domain.memories import Layer, MemoryItem, Tier
from r_memory.testing.dict_stream import DictStream
from r_memory_chat.rolling_back import roll_back_stream
from r_memory_talk.stream.index import Scope, StreamIndex
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from tests.unit.talk.stream.world import NOW, SPACE, Rows, a_stream, tell

pytestmark = pytest.mark.anyio
NAMES = "abcdef"


async def a_layered(store: DictStream | None = None) -> Stream:
    """Four turns; two memories of one each, one of both, and a document."""
    stream = a_stream(store)
    await tell(stream, "red boat", "blue boat", "green boat", "white boat")
    for key, tier, sources in (
        ("m1", Tier.MEDIUM, ("item-1", "item-2")),
        ("m2", Tier.MEDIUM, ("item-3",)),
        ("l1", Tier.LONG, ("m1", "m2")),
        ("d1", Tier.DOCUMENT, ("item-4",)),
    ):
        await stream.append(NewTurn(conversation="c", summary=f"boat {key}", tier=tier, sources=sources, key=key))
    return stream


@pytest.mark.proves("MIM-7")
@pytest.mark.parametrize(
    ("layer", "ids"),
    [
        (Layer.EVERYTHING, {"item-1", "item-2", "item-3", "item-4", "m1", "m2", "l1", "d1"}),
        (Layer.LATEST, {"item-1", "item-2", "item-3", "item-4", "l1", "d1"}),
        (Layer.TURNS, {"item-1", "item-2", "item-3", "item-4", "d1"}),
        (Layer.MEMORIES, {"item-4", "l1", "d1"}),
    ],
)
async def test_a_search_looks_at_the_layer_that_it_is_told(layer: Layer, ids: set[str]) -> None:
    stream = await a_layered()
    found = await stream.search("boat", conversation="c", layer=layer, k=50)
    assert {hit.item.id for hit in found.chosen} == ids
    assert len(found.ranked) == len(ids)


async def test_another_server_that_reads_sources_after_what_was_made_of_them_sees_the_same() -> None:
    store = DictStream()
    stream = await a_layered(store)
    await stream.use(["item-1", "m1"])  # they come last in the changes now
    other = a_stream(store)
    assert [item.id for item in await other.standing("c")] == ["item-4", "l1", "d1"]


async def test_what_was_part_of_an_erased_memory_stands_again() -> None:
    stream = await a_layered()
    await roll_back_stream(stream, "c", to=2)
    assert [item.id for item in await stream.standing("c")] == ["m1"]


async def test_a_memory_that_is_met_again_gains_sources_and_importance_and_is_used_now() -> None:
    store = DictStream()
    stream = await a_layered(store)
    assert await stream.renew("m2", importance=9, sources=("item-3", "item-4"))
    (item,) = await store.memories(SPACE, ["m2"])
    assert (item.importance, item.sources, item.accessed_at) == (9, ("item-3", "item-4"), NOW)
    assert [each.id for each in await stream.standing("c")] == ["l1", "d1"]
    assert not await stream.renew("gone", importance=3, sources=())


async def test_likeness_is_the_cosine_of_each_with_each_and_of_a_text_with_all() -> None:
    stream = await a_layered()
    cosines = await stream.likeness(["item-1", "item-2", "gone", "item-1"])
    assert cosines.shape == (4, 4)
    assert cosines[0, 3] == pytest.approx(1.0)
    assert 0 < cosines[0, 1] < 1
    assert list(cosines[2]) == [0, 0, 0, 0]
    ((same, other),) = await stream.likeness(["item-1", "m1"], "red boat")
    assert same == pytest.approx(1.0)
    assert other < 1


@pytest.mark.parametrize("embedder", [Rows(None), Rows((0.0, 0.0))])
async def test_without_vectors_nothing_is_like_anything(embedder: Rows) -> None:
    stream = a_stream(embedder=embedder)
    await tell(stream, "red boat", "red boat")
    assert not (await stream.likeness(["item-1", "item-2"])).any()
    assert not (await stream.likeness(["item-1"], "red boat")).any()
    assert (await stream.likeness([], "red boat")).shape == (1, 0)
    assert (await a_stream(words_only=True).likeness(["x"])).shape == (1, 1)


def a_memory(id_: str, sources: tuple[str, ...], tier: Tier) -> MemoryItem:
    return MemoryItem(
        id=id_, space="s", conversation="c", summary="x", tier=tier, sources=sources, created_at=1, accessed_at=1
    )


@given(
    st.lists(
        st.one_of(
            st.sampled_from(NAMES),
            st.builds(
                a_memory,
                st.sampled_from(NAMES),
                st.lists(st.sampled_from(NAMES), max_size=3).map(tuple),
                st.sampled_from(Tier),
            ),
        ),
        max_size=20,
    )
)
def test_an_id_is_covered_exactly_as_long_as_a_living_memory_names_it(steps: list[str | MemoryItem]) -> None:
    index, living = StreamIndex(model="", dimensions=0), dict[str, MemoryItem]()
    for step in steps:
        if isinstance(step, str):
            living.pop(step, None)
            index.drop(step)
        else:
            living[step.id] = step
            index.put_all([step])
        named = {s for item in living.values() if item.tier in {Tier.MEDIUM, Tier.LONG} for s in item.sources}
        assert {item.id for item in index.within(Scope(layer=Layer.MEMORIES))} == set(living) - named


async def test_turns_that_a_memory_covers_are_found_behind_it() -> None:
    """Issue 15.8: a memory is shorter than what was said; the words themselves stay within reach."""
    stream = a_stream(words_only=True)
    await tell(stream, "The plumber wants four hundred for the boiler.", "It rained.", "Nice weather.")
    memory = NewTurn(
        conversation="c", summary="The boiler was discussed.", tier=Tier.MEDIUM, sources=("item-1", "item-2"), key="m"
    )
    await stream.append(memory)
    found = await stream.search("What does the plumber want for the boiler?", conversation="c", layer=Layer.BEHIND, k=2)
    assert [hit.item.id for hit in found.chosen] == ["m", "item-1"]
