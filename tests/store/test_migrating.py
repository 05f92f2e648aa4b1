"""A store of an earlier version becomes one of this; one of a later version is left alone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from r_memory.domain.facts import Entity
from r_memory.errors import StoreUnavailable
from r_memory.store import migrating
from r_memory.store.bolt import FixedEndpoint
from r_memory.store.formats import FORMAT
from tests.store.stores import Database, database_at
from tests.store.world import ALLERGY, PENICILLIN, SCHEMA, TAKES, WARFARIN, a_declared_patient, seen, told

pytestmark = pytest.mark.anyio
FORMATS = "MATCH (schema:SchemaVersion) RETURN DISTINCT schema.format AS format"
HELD = "MATCH (subject:Entity {uid: $uid}) RETURN subject.held AS held"


async def written_by_0_1(database: Database) -> Entity:
    """Somebody with facts along two relations, as 0.1 left it: holdings that know no objects, and no format."""
    patient = await a_declared_patient(database.store)
    for fact in (seen(patient, PENICILLIN), seen(patient, WARFARIN, relation=TAKES)):
        await told(database.store, fact)
    facts = (await database.store.neighbourhood(patient, (ALLERGY, TAKES))).facts
    await hold(database, patient, migrating._written_by_1(fact.place for fact in facts))
    await database.run("MATCH (schema:SchemaVersion) REMOVE schema.format")
    return patient


async def hold(database: Database, patient: Entity, held: str) -> None:
    await database.run("MATCH (subject:Entity {uid: $uid}) SET subject.held = $held", uid=patient.uid, held=held)


@asynccontextmanager
async def started_again(database: Database) -> AsyncIterator[Database]:
    """A server of this version on the same database."""
    async with database_at(FixedEndpoint(database.endpoint), database.endpoint) as again:
        await again.store.prepare(SCHEMA)
        yield again


async def lacking(database: Database, patient: Entity) -> set[str]:
    return set((await database.store.neighbourhood(patient, (ALLERGY, TAKES))).failed)


async def test_a_store_of_0_1_is_whole_under_0_2_and_says_its_format(database: Database) -> None:
    patient = await written_by_0_1(database)
    assert await lacking(database, patient) == {ALLERGY, TAKES}

    async with started_again(database) as again:
        found = await again.store.neighbourhood(patient, (ALLERGY, TAKES))
        assert (len(found.facts), found.failed) == (2, {})
        assert await again.run(FORMATS) == [{"format": FORMAT}]
        assert await again.store.is_prepared(SCHEMA)


@pytest.mark.parametrize("start", sorted(migrating.STEPS))
async def test_a_step_that_ran_already_changes_nothing(database: Database, start: int) -> None:
    """A server may be killed between a step and the note of it, and two servers may start at once."""
    patient = await written_by_0_1(database)
    await migrating.STEPS[start](database.store._graph)
    once = await database.run(HELD, uid=patient.uid)

    async with started_again(database) as again:
        assert await again.run(HELD, uid=patient.uid) == once
        assert await lacking(again, patient) == set()


async def test_what_was_altered_before_is_not_made_good_by_a_migration(database: Database) -> None:
    patient = await written_by_0_1(database)
    await database.run("MATCH (:Entity {uid: $uid})-[fact:TAKES]->() DELETE fact", uid=patient.uid)

    async with started_again(database) as again:
        assert TAKES in await lacking(again, patient)


async def test_a_store_of_a_later_version_is_refused_and_left_as_it_is(database: Database) -> None:
    await database.run("MATCH (schema:SchemaVersion) SET schema.format = 99")
    try:
        with pytest.raises(StoreUnavailable, match=r"later version .*format 99.* install that version or a later one"):
            async with started_again(database):
                pass
        assert await database.run(FORMATS) == [{"format": 99}]
    finally:
        await database.run("MATCH (schema:SchemaVersion) SET schema.format = $format", format=FORMAT)


def test_there_is_a_step_from_every_earlier_format() -> None:
    assert sorted(migrating.STEPS) == list(range(1, FORMAT))
