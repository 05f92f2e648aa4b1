"""The first search after a start reads everything at once, and finds what a server found that was always there."""

import logging
import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest
from typing_extensions import override

from r_memory.domain.memories import Amendment, Layer, StreamChanges, Tier
from r_memory.errors import StoreUnavailable
from r_memory.memory import Memory
from r_memory.testing.dict_stream import DictStream
from r_memory.wiring import stream_loading
from r_memory_chat.rolling_back import roll_back_stream
from r_memory_lab.bench.gossip import gossip, gossip_questions
from r_memory_talk.stream import stream as stream_module
from r_memory_talk.stream.scoring import SCORINGS
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn, SearchResult
from tests.unit.talk.stream.world import NOW, SPACE, a_stream

pytestmark = pytest.mark.anyio

FOREIGN = ("Ich mag den roten Apfel nicht, aber die Birne.", "病人對青黴素嚴重過敏", "J'aime le pain de Lyon.")
QUESTIONS = ("What did Ann say about the blue garden in Bern?", "roter Apfel", "青黴素過敏", "bicylce", "turn 12", "")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> int:
    """Seven changes are read at once: a few turns take as many reads as a long life does otherwise."""
    monkeypatch.setattr(stream_module, "_PART", 7)
    return 7


async def lived(store: DictStream, there: Stream, *, seed: int) -> None:
    """Turns, memories, amendments, uses and a roll-back; `there` looks after each of them."""
    chance, lines = random.Random(seed), gossip(seed)
    for number in range(120):
        await there.append(_told(chance, lines, number))
        items = (await store.memory_changes(SPACE, after=0)).items
        one = chance.choice(items)
        if number % 7 == 0:
            await there.use([one.id])
        if number % 11 == 0:
            await store.amend_memories(SPACE, [Amendment(id=one.id, summary=next(lines)[1], importance=9)])
        if number % 13 == 0:
            told = NewTurn(conversation="a", summary=next(lines)[1], tier=Tier.MEDIUM, sources=(one.id,), said_at=NOW)
            await there.append(told)
        if number % 50 == 49:
            await roll_back_stream(there, "b", to=9)
        await there.refresh()


def _told(chance: random.Random, lines: "object", number: int) -> NewTurn:
    speaker, words = next(lines)  # type: ignore[call-overload]  # an iterator of pairs
    text = chance.choice(FOREIGN) if number % 9 == 0 else words
    return NewTurn(conversation=chance.choice("abc"), speaker=speaker, observation=text, said_at=NOW + number * 60_000)


async def answers(one: Stream, seed: int) -> list[tuple[object, ...]]:
    """Everything that searches come to, but how long they took."""
    more = gossip_questions(seed)
    found: list[SearchResult] = [
        await one.search(text, conversation=conversation, scoring=scoring, layer=layer, now=NOW + 10_000_000)
        for text in (*QUESTIONS, *(next(more) for _ in range(6)))
        for conversation in (None, "a")
        for layer in (Layer.LATEST, Layer.TURNS)
        for scoring in SCORINGS.values()
    ]
    return [(each.chosen, each.ranked) for each in found]


@pytest.mark.parametrize("seed", [1, 2])
async def test_an_index_built_at_once_answers_as_one_built_step_by_step(seed: int, small_parts: int) -> None:
    store = DictStream()
    there = a_stream(store)
    await lived(store, there, seed=seed)
    started = a_stream(store)
    assert await answers(started, seed) == await answers(there, seed)
    assert await started.items("b") == await there.items("b")
    assert (await store.memory_changes(SPACE, after=0)).latest > 10 * small_parts


class Failing(DictStream):
    """A store that is away from the third read on."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    @override
    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        self.reads += 1
        if self.reads == 3:
            raise StoreUnavailable("the store is away; try again")
        return await super().memory_changes(space, after=after, limit=limit)


async def test_a_store_that_goes_away_while_everything_is_read_leaves_a_stream_that_goes_on_where_it_was(
    small_parts: int,
) -> None:
    store = Failing()
    texts: Sequence[str] = [f"number {number}" for number in range(5 * small_parts)]
    await a_stream(store).append_all([NewTurn(conversation="c", observation=text) for text in texts])
    one = a_stream(store)
    with pytest.raises(StoreUnavailable):
        await one.items("c")
    assert [item.observation for item in await one.items("c")] == texts


class Watched(DictStream):
    """A store that knows from where on it was read."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[int] = []

    @override
    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        self.asked.append(after)
        return await super().memory_changes(space, after=after, limit=limit)


async def test_a_server_reads_everything_before_the_first_search_which_reads_what_is_new(small_parts: int) -> None:
    store = Watched()
    await a_stream(store).append_all(
        [NewTurn(conversation="c", observation=f"boat {n}") for n in range(3 * small_parts)]
    )
    started = a_stream(store)
    async with stream_loading(cast("Memory", SimpleNamespace(talk=SimpleNamespace(stream=started)))):
        pass
    read = len(store.asked)
    assert (await started.search("boat 3", conversation="c")).ranked
    assert store.asked[read:] == [3 * small_parts]
    assert len(await started.items("c")) == 3 * small_parts


async def test_a_server_starts_although_the_stream_cannot_be_read(caplog: pytest.LogCaptureFixture) -> None:
    store = Failing()
    store.reads = 2
    started = a_stream(store)
    with caplog.at_level(logging.WARNING):
        async with stream_loading(cast("Memory", SimpleNamespace(talk=SimpleNamespace(stream=started)))):
            pass
    assert [record.getMessage() for record in caplog.records] == ["Stream is read when first searched"]
    assert (await started.search("boat")).ranked == ()
