"""Facts of an earlier lexicon are recorded under the thing that was said, by events; repeats meet there."""

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import Entity, Fact, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.facts.relinking import relink
from r_memory.reading.linking import Gazetteer
from r_memory.reading.reader import Reader
from r_memory.reading.things import Things
from r_memory.space.integrity import verify
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_store import DictStore
from tests.doubles import scripted_reader
from tests.store.world import NOW, a_declared_patient, seen, told

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def reader() -> Reader:
    schema = load_schema(Files())
    things = Things(schema, Gazetteer(schema.lexicon))
    return scripted_reader(schema, relinked=things.relinked, with_kinds=things.with_kinds, listener=None)


async def facts_of(store: DictStore, patient: Entity) -> dict[str, Fact]:
    return {fact.object.uid: fact for fact in fold_all(await store.events(patient.uid))}


async def test_what_was_stored_as_the_broader_thing_is_recorded_as_the_one_that_was_said(reader: Reader) -> None:
    store = DictStore()
    await store.prepare(reader.schema)
    patient = await a_declared_patient(store)
    tape, elastoplast = concept("Material", "tape"), concept("Material", "elastoplast")
    said = "Elastoplast takes my skin off."
    await told(store, seen(patient, tape, evidence=said), text=said)

    assert await relink(store, reader, FixedClock(NOW + 1), patient) == 1
    assert await relink(store, reader, FixedClock(NOW + 2), patient) == 0

    found = await facts_of(store, patient)
    assert (found[tape.uid].status, found[elastoplast.uid].status) == (Status.ENTERED_IN_ERROR, Status.ACTIVE)
    assert (found[elastoplast.uid].evidence, found[elastoplast.uid].attrs) == (said, {"severity": "severe"})
    assert (await verify(store, [patient])).whole

    await told(store, seen(patient, elastoplast), text="Elastoplast again.", id="again")
    assert (await facts_of(store, patient))[elastoplast.uid].observations == 2


async def test_what_the_words_themselves_name_stays_as_it_is(reader: Reader) -> None:
    store = DictStore()
    await store.prepare(reader.schema)
    patient = await a_declared_patient(store)
    nuts = concept("Food", "tree nut")
    await told(store, seen(patient, nuts, evidence="nuts, cashews above all"), text="nuts, cashews above all")

    assert await relink(store, reader, FixedClock(NOW + 1), patient) == 0
    assert list(await facts_of(store, patient)) == [nuts.uid]


async def test_a_word_of_its_own_learns_what_it_is_and_takes_the_denial_along(reader: Reader) -> None:
    store = DictStore()
    await store.prepare(reader.schema)
    patient = await a_declared_patient(store)
    words = concept("Unmapped", "pink penicillin syrup", space=patient.space)
    await told(store, seen(patient, words), text="Allergic to the pink penicillin syrup.")
    await told(store, seen(patient, words, status=Status.NEGATED), text="Not allergic to it.", id="later")

    assert await relink(store, reader, FixedClock(NOW + 1), patient) == 1

    found = {uid: fact for uid, fact in (await facts_of(store, patient)).items() if uid != words.uid}
    [fact] = found.values()
    assert (fact.object.type, fact.object.is_a) == ("DrugClass", ("knowledge/DrugClass/penicillin",))
    assert (fact.status, fact.contradicted) == (Status.ACTIVE, True)
