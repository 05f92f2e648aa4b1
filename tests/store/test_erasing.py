"""Erasing a subject on every store: what goes, what stays, and who can no longer write."""

from dataclasses import replace

import pytest

from r_memory.domain.blocks import GateRecord, gate_record
from r_memory.domain.erasure import Erasure, erasure_of, is_trace
from r_memory.domain.events import Batch, ChainHead, EventKind, chain_differences
from r_memory.domain.facts import Entity
from r_memory.domain.folding import fold_all
from r_memory.errors import SubjectUnknown, WriteConflict
from r_memory.protocols import Store
from r_memory.store import rows
from tests.store.stores import Database
from tests.store.world import (
    ALLERGY,
    NOTHING,
    NOW,
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_receipt,
    a_space,
    an_episode,
    next_batch,
    seen,
    told,
    unmapped,
)

pytestmark = pytest.mark.anyio


async def erasure_now(store: Store, subject: Entity, *, reason: str = "request 17") -> Erasure:
    """What erasing the subject now would be."""
    chain = await store.chain(subject.uid, ())
    return erasure_of(
        subject,
        events=await store.events(subject.uid),
        receipts=await store.receipts(subject.space, subject.uid),
        previous=chain.head,
        traces=NOTHING,
        actor="Dr. Grey",
        reason=reason,
        now=NOW + 1_000_000,
    )


async def a_patient_with_a_past(store: Store, space: str, id_: str = "JD001") -> Entity:
    """Three statements, of which one holds a word of its own, an open one, and a receipt."""
    patient = await a_declared_patient(store, space, id_)
    await told(store, seen(patient))
    await told(store, seen(patient, WARFARIN, relation=TAKES), text="I take warfarin.", conversation="visit")
    await told(store, seen(patient, unmapped(space, f"aunt Mabel's tea {id_}")), text="Aunt Mabel's tea!")
    await store.add_episode(an_episode(patient, "Something about shellfish."))
    await store.add_receipt(a_receipt(patient, f"receipt-{patient.id[-1]}"))
    return patient


async def test_facts_that_were_read_before_are_not_kept_of_somebody_who_is_erased(store: Store) -> None:
    patient = await a_patient_with_a_past(store, a_space())
    await store.neighbourhood(patient, [ALLERGY, TAKES])

    await store.erase(await erasure_now(store, patient))

    assert not [fact for fact in rows._facts.values() if fact.subject_uid == patient.uid]


async def test_an_erased_chain_still_links_and_says_who_erased_it_and_why(store: Store) -> None:
    patient = await a_patient_with_a_past(store, a_space())
    hashes = [event.hash for event in await store.events(patient.uid)]
    erasure = await erasure_now(store, patient)
    await store.erase(erasure)
    events = await store.events(erasure.trace.uid)
    assert list(chain_differences(events)) == []
    assert [event.hash for event in events[:-1]] == hashes
    assert {event.kind for event in events} == {EventKind.ERASED}
    assert (events[-1].actor, events[-1].reason, events[-1].attrs["events"]) == ("Dr. Grey", "request 17", 3)
    assert fold_all(events) == ()


async def test_nothing_of_the_subject_is_found_by_any_read(store: Store) -> None:
    space = a_space()
    patient = await a_patient_with_a_past(store, space)
    said = await store.episodes(space, patient.uid)
    [fact_id, *_] = {event.fact_id for event in await store.events(patient.uid)}
    erasure = await erasure_now(store, patient)
    await store.erase(erasure)
    assert len(said) == 4
    assert [await store.episode(space, text.id) for text in said] == [None] * 4
    assert await store.subjects(space, "Patient") == (erasure.trace,)
    assert await store.subjects(space, "Patient", called="John Doe") == ()
    assert await store.events(patient.uid) == ()
    assert await store.episodes(space, patient.uid) == ()
    assert await store.conversation(space, patient.uid, "visit", limit=9) == ()
    assert await store.history(space, fact_id) == ()
    assert await store.open_episodes(space) == ()
    assert await store.receipts(space, patient.uid) == ()
    assert (await store.neighbourhood(erasure.trace, (ALLERGY, TAKES))).facts == ()
    with pytest.raises(SubjectUnknown):
        await store.neighbourhood(patient, (ALLERGY,))


async def test_a_receipt_keeps_that_something_was_shown_and_not_what(store: Store) -> None:
    space = a_space()
    patient = await a_declared_patient(store, space)
    block = "CRITICAL ALLERGY: John Doe is allergic to Penicillin."
    words = gate_record(asked="Penicillin?", block=block)
    before = replace(a_receipt(patient, f"receipt-{patient.id[-1]}"), block=block, gate=words)
    await store.add_receipt(before)
    assert await store.receipts(space, patient.uid) == (before,)
    erasure = await erasure_now(store, patient)
    await store.erase(erasure)
    assert await store.receipts(space, erasure.trace.uid) == (
        replace(
            before,
            subject_uid=erasure.trace.uid,
            intents=(),
            fact_ids=(),
            rule_ids=(),
            traversal="",
            block="",
            gate=GateRecord(),
        ),
    )


async def test_others_keep_everything(store: Store) -> None:
    space = a_space()
    patient = await a_patient_with_a_past(store, space)
    other = await a_patient_with_a_past(store, space, "JD002")
    shared = unmapped(space, f"aunt Mabel's tea {patient.id}")
    await told(store, seen(other, shared), text="The same tea.")

    async def kept(entity: Entity) -> list[object]:
        neighbourhood = await store.neighbourhood(entity, (ALLERGY, TAKES))
        return [
            await store.events(entity.uid),
            await store.episodes(space, entity.uid),
            await store.receipts(space, entity.uid),
            neighbourhood.facts,
            neighbourhood.pending,
        ]

    before = await kept(other)
    assert (await store.roll(patient.space, patient.type)).number == 2
    await store.erase(await erasure_now(store, patient))
    assert (await store.roll(patient.space, patient.type)).number == 1
    assert await kept(other) == before


async def test_a_write_that_was_under_way_finds_nobody(store: Store) -> None:
    patient = await a_patient_with_a_past(store, a_space())
    episode = an_episode(patient, "I am allergic to penicillin.")
    await store.add_episode(episode)
    late = await next_batch(store, episode, seen(patient))
    await store.erase(await erasure_now(store, patient))
    with pytest.raises(SubjectUnknown):
        await store.append(late)
    with pytest.raises(SubjectUnknown):
        await store.add_episode(an_episode(patient))
    with pytest.raises(SubjectUnknown):
        await store.add_receipt(a_receipt(patient, "late"))


async def test_an_erasure_that_did_not_see_the_last_words_is_refused_and_erases_nothing(store: Store) -> None:
    patient = await a_patient_with_a_past(store, a_space())
    stale = await erasure_now(store, patient)
    await told(store, seen(patient))
    before = await store.events(patient.uid)
    with pytest.raises(WriteConflict):
        await store.erase(stale)
    await store.add_receipt(a_receipt(patient, "one-more"))
    with pytest.raises(WriteConflict):
        await store.erase(replace(await erasure_now(store, patient), receipts=stale.receipts))
    assert await store.events(patient.uid) == before


async def test_nobody_is_erased_twice(store: Store) -> None:
    patient = await a_patient_with_a_past(store, a_space())
    erasure = await erasure_now(store, patient)
    await store.erase(erasure)
    with pytest.raises(SubjectUnknown):
        await store.erase(erasure)


async def test_the_id_is_free_for_somebody_else_afterwards(store: Store) -> None:
    space = a_space()
    patient = await a_patient_with_a_past(store, space)
    await store.erase(await erasure_now(store, patient))
    again = await a_declared_patient(store, space, "JD001", "Joan Dean")
    await told(store, seen(again))
    assert [event.seq for event in await store.events(again.uid)] == [1]
    found = await store.subjects(space, "Patient")
    assert [entity.name for entity in found if not is_trace(entity)] == ["Joan Dean"]


async def test_an_erased_chain_is_written_once_by_whoever_brings_it_from_elsewhere(store: Store) -> None:
    erasure = await erasure_now(store, await a_patient_with_a_past(store, a_space()))
    events = (*erasure.blanks, erasure.closing)
    await store.declare_subject(erasure.trace)
    batch = Batch(subject=erasure.trace, events=events, facts=(), episode=None, previous=ChainHead(), head=erasure.head)
    await store.append(batch)
    await store.append(batch)
    assert await store.events(erasure.trace.uid) == events
    with pytest.raises(WriteConflict):
        await store.append(replace(batch, events=(replace(events[0], id="another"),)))


async def test_no_word_and_no_name_of_the_subject_is_left_in_any_node(database: Database) -> None:
    """Looked for in the whole database, for what a read does not show may still be there."""
    space = a_space()
    patient = await a_patient_with_a_past(database.store, space)
    everything = (
        "MATCH (n) WHERE n.space = $space OPTIONAL MATCH (n)-[r]-() "
        "RETURN labels(n) AS labels, properties(n) AS node, collect(properties(r)) AS edges"
    )
    words = ("John Doe", "JD001", "allergic", "warfarin", "Mabel", "shellfish", "visit")
    before = str(await database.run(everything, space=space))
    assert [word for word in words if word not in before] == []
    await database.store.erase(await erasure_now(database.store, patient))
    after = await database.run(everything, space=space)
    assert [word for word in words if word in str(after)] == []
    assert sum("FactEvent" in str(row["labels"]) for row in after) == 4
