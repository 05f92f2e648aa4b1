"""Keys that an administrator dropped, and keys that another program made (found by attack: nobody noticed either)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest

from r_memory.domain.facts import Entity
from r_memory.errors import StoreError, StoreUnavailable
from r_memory.store.bolt import FixedEndpoint
from r_memory.store.neighbours import AWAITS
from tests.store.stores import Database, database_at
from tests.store.world import SCHEMA

pytestmark = pytest.mark.anyio
UID = "CREATE CONSTRAINT entity_uid IF NOT EXISTS FOR (entity:Entity) REQUIRE entity.uid IS UNIQUE"
DOUBLED = "MATCH (node:Entity {uid: $uid}) CREATE (twin:Entity) SET twin = properties(node)"
SAME_ID = (
    "MATCH (node:Entity) WITH node.id AS id, collect(node) AS alike "
    "WHERE size(alike) > 1 UNWIND alike AS n DETACH DELETE n"
)
"""What other tests of this server left in several spaces: their program's key could not be made beside it."""
TWIN = Entity(space="keys", type=SCHEMA.subject, id="twin", name="Twin")


@asynccontextmanager
async def dropped(database: Database, name: str) -> AsyncIterator[None]:
    """Without one of its keys, as an administrator leaves it."""
    await database.run(f"DROP CONSTRAINT {name}")
    try:
        yield
    finally:
        await database.run("MATCH (node:Entity {space: 'keys'}) DETACH DELETE node")
        with suppress(StoreError):
            await database.run(UID)


@asynccontextmanager
async def started_again(database: Database) -> AsyncIterator[Database]:
    """Another server on the same database."""
    async with database_at(FixedEndpoint(database.endpoint), database.endpoint) as again:
        yield again


async def test_a_key_that_was_dropped_is_named_and_is_there_again_after_the_next_start(database: Database) -> None:
    async with dropped(database, "entity_uid"):
        assert (await database.store.health()).lost_keys == ("Entity (uid)",)
        async with started_again(database) as again:
            await again.store.prepare(SCHEMA)
            assert (await again.store.health()).lost_keys == ()


async def test_somebody_who_is_there_twice_could_not_be_checked(database: Database) -> None:
    """Also where both nodes say the same of themselves."""
    relations = tuple(SCHEMA.relations)[:2]
    async with dropped(database, "entity_uid"):
        await database.store.declare_subject(TWIN)
        assert (await database.store.neighbourhood(TWIN, relations)).failed == {}
        await database.run(DOUBLED, uid=TWIN.uid)

        found = await database.store.neighbourhood(TWIN, relations)

        assert set(found.failed) == {*relations, AWAITS}
        assert (await database.store.surroundings(TWIN, relations, called=()))[2] is None


async def test_a_start_on_what_is_there_twice_is_refused_and_says_which_key(database: Database) -> None:
    async with dropped(database, "entity_uid"):
        await database.store.declare_subject(TWIN)
        await database.run(DOUBLED, uid=TWIN.uid)
        async with started_again(database) as again:
            with pytest.raises(StoreUnavailable, match=r"lost keys of its own \(Entity \(uid\)\).* something twice"):
                await again.store.prepare(SCHEMA)


async def test_the_key_of_another_program_is_named_at_the_first_write_that_it_refuses(database: Database) -> None:
    """It was "another writer took the same key first; read again and retry", after ten seconds."""
    await database.run(SAME_ID)
    await database.run("CREATE CONSTRAINT theirs FOR (entity:Entity) REQUIRE entity.id IS UNIQUE")
    try:
        assert (await database.store.health()).foreign_keys == ("Entity (id)",)
        await database.store.declare_subject(TWIN)
        with pytest.raises(StoreUnavailable, match=r"constraint of another program on Entity \(id\) refuses"):
            await database.store.declare_subject(replace(TWIN, space="keys-too"))
    finally:
        await database.run("DROP CONSTRAINT theirs")
        await database.run("MATCH (node:Entity {space: 'keys'}) DETACH DELETE node")


async def test_a_prepared_database_has_its_keys_and_no_others(database: Database) -> None:
    health = await database.store.health()
    assert (health.lost_keys, health.foreign_keys) == ((), ())
