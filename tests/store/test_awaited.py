"""What a read takes from the store of somebody with many statements that wait: only what it does not know yet."""

from dataclasses import replace

import pytest

from r_memory.domain.events import Episode, EpisodeStatus
from r_memory.domain.facts import Entity
from r_memory.store.bolt import Endpoint
from r_memory.store.cypher_store import CypherStore
from r_memory.store.queries import Query
from tests.store.stores import NEWEST, Database, engine_at
from tests.store.world import ALLERGY, a_declared_patient, a_space, an_episode, next_batch, seen, told, unmapped

pytestmark = pytest.mark.anyio


@pytest.fixture(params=NEWEST)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


class Wire:
    """Counts the statements that the store sends."""

    def __init__(self, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        self.statements = 0
        run = database.bolt.run

        async def counted(*args: object, **options: object) -> object:
            rows = await run(*args, **options)  # type: ignore[arg-type]  # whatever is asked is passed on
            found = [item for row in rows for item in row.get("found") or ()]
            self.statements += sum("text" in (item.get("object") or item) for item in found)
            return rows

        monkeypatch.setattr(database.bolt, "run", counted)

    def sent(self) -> int:
        """Statements since this was last asked."""
        sent, self.statements = self.statements, 0
        return sent


async def with_waiting(database: Database, number: int) -> tuple[Entity, list[Episode]]:
    patient = await a_declared_patient(database.store, a_space())
    await told(database.store, seen(patient))
    waiting = [an_episode(patient, f"It itched {at} times.") for at in range(number)]
    for episode in waiting:
        await database.store.add_episode(episode)
    return patient, waiting


async def read(store: CypherStore, patient: Entity) -> tuple[str, ...]:
    _, _, found = await store.surroundings(patient, (ALLERGY,), called=("penicillin",))
    assert found is not None
    assert found.failed == {}
    assert found.pending == (await store.neighbourhood(patient, (ALLERGY,))).pending
    return tuple(episode.text for episode in found.pending)


@pytest.mark.parametrize("number", [100, 1_000])
async def test_of_statements_that_wait_only_those_are_sent_that_were_not_read_before(
    database: Database, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    patient, waiting = await with_waiting(database, number)
    wire = Wire(database, monkeypatch)
    assert len(await read(database.store, patient)) == number
    assert wire.sent() == number

    assert len(await read(database.store, patient)) == number
    assert wire.sent() == 0

    settled = replace(waiting[3], status=EpisodeStatus.EXTRACTED)
    reviewed = replace(waiting[4], status=EpisodeStatus.NEEDS_REVIEW, review=(waiting[4].text,))
    new = an_episode(patient, "It stopped.")
    for episode in (settled, reviewed):
        await database.store.begin_reading(episode)
    await database.store.add_episode(new)
    texts = await read(database.store, patient)
    assert wire.sent() == 2
    assert set(texts) == {episode.text for episode in (*waiting, new)} - {settled.text}


async def test_of_many_statements_that_wait_one_that_is_lost_or_doubled_could_not_be_checked(
    database: Database,
) -> None:
    patient, waiting = await with_waiting(database, 60)
    await read(database.store, patient)
    awaits = "MATCH (p:Patient {uid: $uid})-[awaits:AWAITS]->(e:Episode {id: $id})"

    await database.run(f"{awaits} DELETE awaits", uid=patient.uid, id=waiting[7].id)
    assert "AWAITS" in (await database.store.neighbourhood(patient, (ALLERGY,))).failed

    twice = f"{awaits} CREATE (p)-[again:AWAITS]->(e) SET again.space = p.space"
    await database.run(twice, uid=patient.uid, id=waiting[8].id)
    assert "AWAITS" in (await database.store.neighbourhood(patient, (ALLERGY,))).failed


async def test_of_many_statements_that_wait_an_altered_one_is_found_by_a_store_that_did_not_read_it(
    database: Database,
) -> None:
    patient, waiting = await with_waiting(database, 60)
    texts = await read(database.store, patient)

    await database.run("MATCH (e:Episode {id: $id}) SET e.text = 'I am well.'", id=waiting[7].id)

    assert await read(database.store, patient) == texts
    other = CypherStore(database.bolt, database.store._graph.library)
    assert "AWAITS" in (await other.neighbourhood(patient, (ALLERGY,))).failed


async def test_of_many_statements_that_wait_all_are_read_while_others_write_between_any_two_reads(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty streams at once about somebody with many statements that wait: each look met another state, and one was
    stopped as not checked.
    """
    patient, waiting = await with_waiting(database, 60)
    store, run, open_ = database.store, database.bolt.run, list(waiting)
    is_writing = False

    async def beside_a_writer(query: Query, *args: object, **options: object) -> object:
        nonlocal is_writing
        rows = await run(query, *args, **options)  # type: ignore[arg-type]  # whatever is asked is passed on
        if query.path in {"cypher/recall/facts.cypher", "cypher/read/awaited.cypher"} and not is_writing:
            is_writing = True
            settled = open_.pop()
            await store.append(await next_batch(store, settled, seen(patient, unmapped(patient.space, settled.text))))
            await store.add_episode(an_episode(patient, f"It hurt again, {len(open_)} times."))
            is_writing = False
        return rows

    monkeypatch.setattr(database.bolt, "run", beside_a_writer)
    found = await store.neighbourhood(patient, (ALLERGY,))

    assert found.failed == {}
    shown = {episode.text for episode in found.pending} | {fact.object.name for fact in found.facts}
    assert shown >= {episode.text for episode in waiting}
    assert len(open_) < len(waiting)
