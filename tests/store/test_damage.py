"""What a read says when a part of the present state is lost or altered: never that nothing was recorded."""

from typing import Any

import pytest

from r_memory.domain.folding import fold_all
from r_memory.errors import LedgerBroken
from r_memory.store.bolt import Endpoint
from tests.store.stores import NEWEST, Database, engine_at
from tests.store.world import (
    ALLERGY,
    SCHEMA,
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_space,
    an_episode,
    seen,
    told,
)

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


@pytest.fixture(params=NEWEST)
def engine_place(request: pytest.FixtureRequest) -> Endpoint:
    return engine_at(request)


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


async def test_somebody_who_is_lost_is_never_somebody_whom_nobody_knows(database: Database) -> None:
    """Whoever is told so would declare them anew, and nothing would ever have been asked about them."""
    store = database.store
    patient = await a_declared_patient(store)
    other = await a_declared_patient(store, patient.space, "JR002", "Jane Roe")
    await told(store, seen(patient))
    await store.add_episode(an_episode(other, "It itched."))

    await database.run("MATCH (p:Patient {space: $space}) DETACH DELETE p", space=patient.space)

    for id_ in (patient.id, other.id, ""):
        with pytest.raises(LedgerBroken, match="not there any more"):
            await store.subjects(patient.space, SCHEMA.subject, id_=id_)
    assert await store.subjects(patient.space, SCHEMA.subject, id_="nobody") == ()


async def test_words_that_name_nobody_are_told_that_everybody_is_lost(database: Database) -> None:
    """Before each prompt a hook asks whom its words name: where all are lost it said nothing."""
    store = database.store
    patient = await a_declared_patient(store)
    assert await store.subjects(patient.space, SCHEMA.subject, called=["antibiotic", "for"]) == ()
    assert await store.subjects(f"{patient.space}-new", SCHEMA.subject, called=["antibiotic", "for"]) == ()

    await database.run("MATCH (p:Patient {space: $space}) DETACH DELETE p", space=patient.space)

    with pytest.raises(LedgerBroken, match="not there any more"):
        await store.subjects(patient.space, SCHEMA.subject, called=["antibiotic", patient.name])
    assert await store.subjects(f"{patient.space}-new", SCHEMA.subject, called=["antibiotic", "for"]) == ()


@pytest.mark.parametrize("asked", [{}, {"id_": "JD001"}, {"called": ["antibiotic", "for"]}])
async def test_a_database_that_was_emptied_meanwhile_is_not_one_that_knows_nobody(
    database: Database, asked: dict[str, Any]
) -> None:
    store, space = database.store, a_space()
    assert await store.subjects(space, SCHEMA.subject, **asked) == ()

    await database.run("MATCH (known:SchemaVersion) DELETE known")

    with pytest.raises(LedgerBroken, match="emptied"):
        await store.subjects(space, SCHEMA.subject, **asked)
