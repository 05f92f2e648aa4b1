"""How often a call goes to the database and back: somebody waits for each (issue 14)."""

from collections.abc import Awaitable, Callable

import pytest

from r_memory.store.bolt import Bolt
from tests.store.stores import Database
from tests.store.world import a_space
from tests.unit.memory_world import ALLERGY, DENIAL, SCHEMA, UNREAD, World, a_world

pytestmark = pytest.mark.anyio


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that went to the database, in their order; a transaction of several is `a write`."""
    asked: list[str] = []
    ask = Bolt._repeated

    async def noted(bolt: Bolt, action: Callable[..., Awaitable[object]], *, what: str, limit_s: float) -> object:
        asked.append(what.rpartition("/")[2].removesuffix(".cypher"))
        return await ask(bolt, action, what=what, limit_s=limit_s)

    monkeypatch.setattr(Bolt, "_repeated", noted)
    return asked


@pytest.fixture
async def world(database: Database, trips: list[str]) -> World:
    """A memory over the store, with somebody who has been talking."""
    await database.store.prepare(SCHEMA)
    world = a_world(store=database.store, space=a_space())
    for words in ("Hello.", "I slept badly."):
        await said(world, words, subject_name="John Doe")
    trips.clear()
    return world


async def said(world: World, words: str, *, subject_name: str = "") -> None:
    await world.memory.remember(
        words, subject="JD001", subject_name=subject_name, speaker="patient", conversation_id="c"
    )


@pytest.mark.parametrize("words", [ALLERGY, DENIAL])
async def test_a_statement_takes_four_trips(world: World, trips: list[str], words: str) -> None:
    """Whom it is about; the words, and the turns before them; what is known of its facts; all that comes of it."""
    await said(world, words)
    assert trips == ["subjects_called", "add_episode", "chain", "append"]


@pytest.mark.parametrize("words", ["I slept well.", UNREAD])
async def test_words_that_state_nothing_take_three_trips(world: World, trips: list[str], words: str) -> None:
    await said(world, words)
    assert trips == ["subjects_called", "add_episode", "settle_episode"]


async def test_a_reader_is_given_the_turns_before_in_that_same_trip(world: World) -> None:
    await said(world, ALLERGY)
    assert [turn.text for turn in world.extractor.heard[-1].before] == ["Hello.", "I slept badly."]


@pytest.mark.parametrize("named", ["JD001", "John Doe"])
async def test_a_context_takes_one_trip_to_read_and_one_to_record(world: World, trips: list[str], named: str) -> None:
    """Whom it is about, whom else the words name, and every fact come together; a name alone asks for facts apart."""
    await said(world, ALLERGY)
    trips.clear()
    recall = await world.memory.build_context("Recommend an antibiotic for Jane Roe.", subject=named)
    assert [line.fact.object.name for line in recall.lines] == ["Penicillin"]
    assert trips == ["facts", *(["facts"] if named == "John Doe" else []), "add_receipt"]


async def test_somebody_resolved_before_takes_one_trip_as_well(world: World, trips: list[str]) -> None:
    """As a hook does, which finds people in the prompt."""
    [(john, _)] = await world.memory.subjects_named("What may John Doe take?")
    trips.clear()
    await world.memory.build_context("What may John Doe take?", subject=john)
    assert trips == ["facts", "add_receipt"]
