"""Writes that come at once to the embedded store: each is kept, and the disk is waited for fewer times than there are
writes.
"""

import asyncio

import pytest

from r_memory.errors import StoreUnavailable
from r_memory.store.bolt import Endpoint
from r_memory.store.bolt_wire import Wires
from tests.store.stores import Database, engine_at
from tests.store.world import a_declared_patient, a_space, an_episode

pytestmark = pytest.mark.anyio

WRITERS = 20


@pytest.fixture(params=["embedded"])
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


@pytest.fixture
def commits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many writes each transaction committed."""
    made: list[int] = []
    committed = Wires._committed

    async def counted(self: Wires, packed: list[bytes]) -> object:
        made.append(len(packed))
        return await committed(self, packed)

    monkeypatch.setattr(Wires, "_committed", counted)
    return made


async def test_of_twenty_writes_at_once_all_are_kept_by_fewer_transactions(
    database: Database, commits: list[int]
) -> None:
    store, space = database.store, a_space()
    patients = [await a_declared_patient(store, space, f"P{at}", f"Ann {at} Bell") for at in range(WRITERS)]
    episodes = [an_episode(patient, f"It itched {patient.id}.") for patient in patients]
    commits.clear()

    added = await asyncio.gather(*map(store.add_episode, episodes))

    assert [item[-1] for item in added] == episodes
    assert (sum(commits), len(commits) < WRITERS) == (WRITERS, True)
    kept = [await store.episodes(space, patient.uid) for patient in patients]
    assert [[item.text for item in own] for own in kept] == [[episode.text] for episode in episodes]


async def test_a_write_that_is_refused_takes_no_other_with_it(database: Database) -> None:
    store, space = database.store, a_space()
    patients = [await a_declared_patient(store, space, f"P{at}", f"Ann {at} Bell") for at in range(WRITERS)]
    episodes = [an_episode(patient, f"It itched {patient.id}.") for patient in patients]
    unknown = "MATCH (p:Patient {space: $space}) SET p.name = noSuchFunction(p.name)"

    answers = await asyncio.gather(
        *map(store.add_episode, episodes), database.run(unknown, space=space), return_exceptions=True
    )

    assert [type(answer) is tuple for answer in answers] == [*[True] * WRITERS, False]
    kept = [await store.episodes(space, patient.uid) for patient in patients]
    assert [[item.text for item in own] for own in kept] == [[episode.text] for episode in episodes]


async def test_each_of_several_writers_is_told_that_a_stranger_answers() -> None:
    """Nobody is taken for cancelled, and nothing is written."""

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async def not_proved() -> None:
        raise StoreUnavailable("a stranger")

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        wires = Wires(f"bolt://127.0.0.1:{port}", ("root", "secret"), "space", prove=not_proved)

        answers = await asyncio.gather(*(wires.write("RETURN 1", {}) for _ in range(3)), return_exceptions=True)

    assert [type(answer) for answer in answers] == [StoreUnavailable] * 3


async def test_whoever_gives_up_waiting_hinders_no_other_writer(database: Database) -> None:
    store, space = database.store, a_space()
    patients = [await a_declared_patient(store, space, f"P{at}", f"Ann {at} Bell") for at in range(WRITERS)]
    tasks = [asyncio.create_task(store.add_episode(an_episode(patient, "It itched."))) for patient in patients]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks[::2]:
        task.cancel()

    await asyncio.wait(tasks)

    assert all(not task.cancelled() and task.exception() is None for task in tasks[1::2])
    kept = [await store.episodes(space, patient.uid) for patient in patients[1::2]]
    assert [len(own) for own in kept] == [1] * (WRITERS // 2)
