"""What a read says when a part of the present state is lost or altered: never that nothing was recorded."""

import pytest

from r_memory.domain.folding import fold_all
from r_memory.store.cypher_store import CypherStore
from tests.store.stores import LIBRARY, Database
from tests.store.world import ALLERGY, SCHEMA, TAKES, WARFARIN, a_declared_patient, an_episode, seen, told

pytestmark = pytest.mark.anyio

RELATIONS = (ALLERGY, TAKES)
LOSSES = {
    "the facts of a relation": ("MATCH (p:Patient {uid: $uid})-[fact:HAS_ALLERGY_TO]->() DELETE fact", {ALLERGY}),
    "every fact": ("MATCH (p:Patient {uid: $uid})-[fact]->(:Entity) DELETE fact", {ALLERGY, TAKES}),
    "what waits": ("MATCH (p:Patient {uid: $uid})-[awaits:AWAITS]->() DELETE awaits", {"AWAITS"}),
    "the counts": ("MATCH (p:Patient {uid: $uid}) REMOVE p.held, p.awaiting", {ALLERGY, TAKES, "AWAITS"}),
    "the sense of the counts": ("MATCH (p:Patient {uid: $uid}) SET p.held = 'none'", {ALLERGY, TAKES}),
    "a severity": ("MATCH (p:Patient {uid: $uid})-[fact:HAS_ALLERGY_TO]->() SET fact.severity = 'mild'", {ALLERGY}),
    "a status": ("MATCH (p:Patient {uid: $uid})-[fact:HAS_ALLERGY_TO]->() SET fact.status = 'refuted'", {ALLERGY}),
    "a newer event": ("MATCH (p:Patient {uid: $uid})-[fact:TAKES]->() SET fact.last_seq = 1", {TAKES}),
    "waiting words": ("MATCH (p:Patient {uid: $uid})-[:AWAITS]->(e) SET e.text = 'I am well.'", {"AWAITS"}),
}


@pytest.mark.parametrize("loss", LOSSES)
async def test_what_is_lost_or_altered_could_not_be_checked_until_the_state_is_rebuilt(
    database: Database, loss: str
) -> None:
    store = database.store
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    await told(store, seen(patient, WARFARIN, relation=TAKES))
    await store.add_episode(an_episode(patient, "It itched."))
    assert (await store.neighbourhood(patient, RELATIONS)).failed == {}
    text, lost = LOSSES[loss]

    await database.run(text, uid=patient.uid)

    assert set((await store.neighbourhood(patient, RELATIONS)).failed) == lost
    if loss == "waiting words":
        return
    await store.replace_state(patient, fold_all(await store.events(patient.uid)))
    found = await store.neighbourhood(patient, RELATIONS)
    assert (found.failed, len(found.facts), len(found.pending)) == ({}, 2, 1)


async def test_a_database_of_an_earlier_version_is_counted_once_when_it_is_opened(database: Database) -> None:
    store = database.store
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    await store.add_episode(an_episode(patient, "It itched."))
    nobody = await a_declared_patient(store)
    await database.run(
        "MATCH (p:Patient) WHERE p.uid IN $uids REMOVE p.held, p.awaiting", uids=[patient.uid, nobody.uid]
    )
    await database.run("MATCH (schema:SchemaVersion) SET schema.setup = 'of an earlier version'")

    await CypherStore(database.bolt, LIBRARY).prepare(SCHEMA)

    for each, facts, pending in ((patient, 1, 1), (nobody, 0, 0)):
        found = await store.neighbourhood(each, RELATIONS)
        assert (found.failed, len(found.facts), len(found.pending)) == ({}, facts, pending)
