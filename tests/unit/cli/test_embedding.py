"""`embed` over a stream whose embedder was changed."""

import asyncio

import pytest

from r_memory.testing.dict_stream import DictStream
from r_memory.testing.hash_embedder import HashEmbedder
from r_memory_talk.stream.stream import Stream
from r_memory_talk.stream.values import NewTurn
from tests.unit.cli.conftest import Command
from tests.unit.memory_world import World
from tests.unit.talk.stream.world import Rows, a_stream


def kept(world: World, monkeypatch: pytest.MonkeyPatch, stream: Stream) -> Stream:
    """The world's memory with this stream."""
    monkeypatch.setattr(world.memory.talk, "stream", stream)
    return stream


def told(number: int) -> DictStream:
    """A store that holds turns embedded by another model."""
    store = DictStream()
    turns = [NewTurn(conversation="c", observation=f"boat {n}") for n in range(number)]
    asyncio.run(a_stream(store, embedder=HashEmbedder(model="old")).append_all(turns))
    return store


def test_every_item_gets_a_vector_and_a_second_run_has_nothing_to_do(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(world, monkeypatch, a_stream(told(3), embedder=HashEmbedder(model="new")))
    assert command("embed").out == "Embedded by new: 3 items.\n"
    assert command("embed", "--json").json == {"embedded": 0, "left": 0, "model": "new"}


def test_what_cannot_be_embedded_is_counted(command: Command, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(world, monkeypatch, a_stream(told(1), embedder=Rows((0.0, 0.0))))
    assert command("embed").out == "Embedded by rows/1: 0 items; 1 item could not be embedded.\n"


def test_without_an_embedder_there_is_nothing_to_do(
    command: Command, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(world, monkeypatch, a_stream(told(1), words_only=True))
    assert "R_MEMORY_EMBEDDER=none" in command("embed").out
