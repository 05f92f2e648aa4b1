"""Words that name nobody are looked up once, until somebody is declared: by this process or by another."""

from collections.abc import AsyncIterator

import pytest

from r_memory.domain.facts import Entity
from r_memory.store import roster
from r_memory.store.bolt import Endpoint, FixedEndpoint
from tests.store.stores import NEWEST, Database, database_at, engine_at
from tests.store.world import ALLERGY, a_declared_patient, a_schema, a_space

pytestmark = pytest.mark.anyio

WORDS = ("robin", "quarry", "robin quarry")


@pytest.fixture(params=NEWEST)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


@pytest.fixture
async def elsewhere(engine_place: Endpoint) -> AsyncIterator[Database]:
    """Another process on the same database."""
    async with database_at(FixedEndpoint(engine_place), engine_place) as database:
        await database.store.prepare(a_schema())
        yield database


@pytest.fixture
def looked_up(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of words of each look that went to the database."""
    numbers: list[int] = []
    run = database.bolt.run

    async def counted(query: object, parameters: dict[str, object], **options: object) -> object:
        words = parameters.get("words", parameters.get("keys"))
        numbers.extend([len(words)] if isinstance(words, list | tuple) else [])
        return await run(query, parameters, **options)  # type: ignore[arg-type]  # whatever is asked is passed on

    monkeypatch.setattr(database.bolt, "run", counted)
    return numbers


async def beside(database: Database, patient: Entity) -> tuple[str, ...]:
    """Names of the people whom the words name, as a request reads them with the facts."""
    people, _, found = await database.store.surroundings(patient, (ALLERGY,), called=WORDS)
    assert found is not None
    assert found.failed == {}
    return tuple(one.name for one in people)


async def called(database: Database, patient: Entity) -> tuple[str, ...]:
    """The same by a look of its own."""
    found = await database.store.subjects(patient.space, patient.type, called=WORDS)
    return tuple(one.name for one in found)


@pytest.mark.parametrize("look", [beside, called])
async def test_words_that_name_nobody_are_looked_up_once(
    database: Database, looked_up: list[int], look: object
) -> None:
    """The first look finds out how far the log of the space goes, the second that nobody came meanwhile."""
    assert callable(look)
    patient = await a_declared_patient(database.store, a_space())
    looked_up.clear()
    for _ in range(4):
        assert await look(database, patient) == ()
    assert looked_up == [3, 3, 0, 0]


@pytest.mark.parametrize("look", [beside, called])
async def test_somebody_declared_by_another_process_is_named_at_once(
    database: Database, elsewhere: Database, looked_up: list[int], look: object
) -> None:
    """The first rule: an answer never rests on what was so before."""
    assert callable(look)
    patient = await a_declared_patient(database.store, a_space())
    for _ in range(3):
        assert await look(database, patient) == ()
    await a_declared_patient(elsewhere.store, patient.space, "JD009", "Robin Quarry")
    looked_up.clear()
    assert await look(database, patient) == ("Robin Quarry",)
    assert looked_up == [0, 3]
    await a_declared_patient(elsewhere.store, patient.space, "quarry", "Ash Fell")
    assert await look(database, patient) == ("Robin Quarry", "Ash Fell")
    assert await look(database, patient) == ("Robin Quarry", "Ash Fell")


async def test_spaces_do_not_share_what_names_nobody(database: Database) -> None:
    patient = await a_declared_patient(database.store, a_space())
    other = await a_declared_patient(database.store, a_space())
    await a_declared_patient(database.store, other.space, "JD009", "Robin Quarry")
    for _ in range(3):
        assert await beside(database, patient) == ()
        assert await beside(database, other) == ("Robin Quarry",)


async def test_no_more_words_are_kept_than_there_is_room_for(
    database: Database, looked_up: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster, "_MOST_WORDS", 0)
    patient = await a_declared_patient(database.store, a_space())
    looked_up.clear()
    for _ in range(3):
        assert await beside(database, patient) == ()
    assert looked_up == [3, 3, 3]
