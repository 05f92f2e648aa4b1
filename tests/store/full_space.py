"""A space in which a record of every kind lies, for tests of what may happen to it."""

from dataclasses import replace

from tests.store.conversation_world import a_decision, a_document, a_summary
from tests.store.stores import Database
from tests.store.stream_world import an_item
from tests.store.world import (
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_patient,
    a_receipt,
    an_episode,
    seen,
    told,
    unmapped,
)


async def a_full_space(database: Database) -> str:
    """Somebody of whom everything is recorded, and somebody of whom nothing is."""
    store = database.store
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    await told(store, seen(patient, unmapped(patient.space, "zyloflurane"), attrs={"severity": "mild", "dose": 0.5}))
    await told(store, seen(patient, WARFARIN, relation=TAKES), conversation="visit")
    await store.add_episode(an_episode(patient, "It itched."))
    await store.add_receipt(a_receipt(patient, f"01J{patient.space}"))
    await store.declare_subject(a_patient(patient.space, "JR002", "Jane Roe"))
    await a_conversation(database, patient.space)
    return patient.space


async def a_conversation(database: Database, space: str) -> None:
    """Two turns, one that was taken back, what was made and decided of them, and a document."""
    stream, kept = database.store.stream, database.store.conversations
    items = [an_item(space) for _ in range(3)]
    await stream.add_memories(items[:1])
    await stream.add_memories(items[1:])
    uid = items[0].conversation_uid
    for version in (1, 2):
        await kept.add_summary(a_summary(space, version, upto=version))
        await kept.add_decision(a_decision(space, version))
    await stream.remove_memories(space, uid, [items[2].id], turns=3, left=2)
    await kept.forget_turns(space, uid, after=1)
    document = a_document(space)
    for read in (1, 2):
        await kept.put_document(replace(document, read=read))
