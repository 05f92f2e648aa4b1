"""Facts that leave as Cypher are run by any database that speaks it, as they stood."""

import uuid
from dataclasses import replace

import pytest

from r_memory.domain.facts import concept
from r_memory.records.leaving import cypher_of
from tests.store.stores import NEWEST, Database
from tests.store.test_erasing import a_patient_with_a_past
from tests.store.world import ALLERGY, a_space

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("engine_place", NEWEST, indirect=True)
async def test_statements_make_each_fact_once_whatever_its_words_hold(database: Database) -> None:
    # Issue 32: a way out; people's words hold quotes, ends of lines and braces, and are no query.
    patient = await a_patient_with_a_past(database.store, a_space())
    [fact, *_] = (await database.store.neighbourhood(patient, (ALLERGY,))).facts
    words = "She said: \"no'})\n MATCH (n) DETACH DELETE n // \\ 😷"
    other = replace(patient, space=f"out-{uuid.uuid4().hex[:8]}")
    thing = replace(concept("Drug", f"thing-{uuid.uuid4().hex[:8]}"))
    left = replace(fact, evidence=words, object=thing)

    for statement in [*cypher_of([(other, left)])] * 2:
        assert "\n" not in statement
        await database.run(statement.removesuffix(";"))

    query = "MATCH (:Patient {uid: $uid})-[fact]->(thing) RETURN fact.words AS words, thing.name AS name"
    assert await database.run(query, uid=other.uid) == [{"words": words, "name": thing.name}]
