"""Facts that an earlier lexicon stored under a broader term are recorded as the thing that was said, on each store."""

import pytest

from r_memory.config.files import Files
from r_memory.config.schema_file import load_schema
from r_memory.domain.facts import Status, concept
from r_memory.domain.folding import fold_all
from r_memory.facts.facts import Facts
from r_memory.facts.limits import Limits
from r_memory.protocols import Store
from r_memory.reading.linking import Gazetteer
from r_memory.reading.things import Things
from r_memory.testing.clock import FixedClock
from r_memory.testing.dict_stream import DictConversations, DictStream
from tests.doubles import memory_over, scripted_reader
from tests.store.world import NOW, a_declared_patient, seen, told

pytestmark = pytest.mark.anyio


async def test_a_space_is_relinked_by_events_and_a_second_run_moves_nothing(store: Store) -> None:
    """Issue 25: without a rebuild, for somebody who has only taken a new version."""
    schema = load_schema(Files())
    things = Things(schema, Gazetteer(schema.lexicon))
    reader = scripted_reader(schema, relinked=things.relinked, with_kinds=things.with_kinds, listener=None)
    patient = await a_declared_patient(store)
    tape, elastoplast = concept("Material", "tape"), concept("Material", "elastoplast")
    said = "Elastoplast takes my skin off."
    await told(store, seen(patient, tape, evidence=said), text=said)
    clock = FixedClock(NOW + 1)
    facts = Facts(store, reader, clock, space=patient.space, limits=Limits(), new_id=lambda: "relink")
    stream = DictStream()
    memory = memory_over(facts, clock, stream=stream, conversations=DictConversations(stream))

    before = len(await store.events(patient.uid))
    assert await memory.space.relink() == 1
    events = len(await store.events(patient.uid))
    assert await memory.space.relink() == 0

    assert len(await store.events(patient.uid)) == events > before
    found = {fact.object.uid: fact for fact in fold_all(await store.events(patient.uid))}
    assert (found[tape.uid].status, found[elastoplast.uid].status) == (Status.ENTERED_IN_ERROR, Status.ACTIVE)
    assert (await memory.verify()).whole
