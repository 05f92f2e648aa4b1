"""Decisions of people on every store: one transaction each, read back as they were made, and the ledger stays whole."""

import asyncio
import uuid
from dataclasses import replace

import pytest

from r_memory.domain.changes import Change
from r_memory.domain.events import Batch, Episode, EpisodeStatus
from r_memory.domain.facts import RISK, Entity, Fact, Flag, Status
from r_memory.domain.schema import Lexicon
from r_memory.errors import AlreadyDecided, InvalidInput
from r_memory.facts.facts import Facts
from r_memory.facts.remember.results import Claim
from r_memory.facts.reviewing import Changed, Reviewing
from r_memory.protocols import Store
from r_memory.space.integrity import rebuild, verify
from r_memory.testing.clock import FixedClock
from tests.doubles import scripted_reader
from tests.store.world import (
    ALLERGY,
    PENICILLIN,
    SCHEMA,
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_space,
    an_episode,
    next_batch,
    seen,
    told,
    unmapped,
)

pytestmark = pytest.mark.anyio
_SCHEMA = replace(SCHEMA, lexicon=Lexicon(terms={"Drug": {}, "DrugClass": {PENICILLIN.id: ()}}))
ADA, WHY = "Dr Ada", "skin test negative"


def reviewing_in(store: Store, subject: Entity) -> Reviewing:
    return Facts(store, scripted_reader(_SCHEMA), FixedClock(), space=subject.space).reviewing


async def decided(
    store: Store, subject: Entity, fact: Fact, change: Change, to: str = "", *, actor: str = ADA
) -> Changed:
    return await reviewing_in(store, subject).change_fact(
        fact.fact_id, change, reason=WHY, actor=actor, version=fact.last_seq, to=to
    )


async def facts_of(store: Store, subject: Entity) -> dict[str, Fact]:
    """By the id of their object."""
    found = await store.neighbourhood(subject, (ALLERGY, TAKES))
    return {fact.object.id: fact for fact in found.facts}


async def is_whole(store: Store, *subjects: Entity) -> bool:
    """Before and after everything is recreated from the ledger."""
    before = await verify(store, subjects)
    await rebuild(store, SCHEMA, subjects)
    return before.whole and (await verify(store, subjects)).whole


@pytest.mark.proves("Z32")
@pytest.mark.parametrize("change", [Change.REFUTE, Change.RESOLVE, Change.ENTERED_IN_ERROR])
async def test_a_decision_is_read_back_with_who_and_why_and_can_be_taken_back(store: Store, change: Change) -> None:
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    [fact] = (await facts_of(store, patient)).values()
    done = await decided(store, patient, fact, change)
    [stored] = (await facts_of(store, patient)).values()
    assert done.after == stored
    assert (stored.changed_by, stored.changed_because, stored.changed_at) == (ADA, WHY, stored.last_recorded_at)
    assert (stored.evidence, stored.episode_id) == (fact.evidence, fact.episode_id)
    back = await decided(store, patient, stored, Change.REINSTATE)
    assert back.after.status is Status.ACTIVE
    assert [event.status for event in await store.history(patient.space, fact.fact_id)] == [
        Status.ACTIVE,
        done.after.status,
        Status.ACTIVE,
    ]
    assert await is_whole(store, patient)


@pytest.mark.proves("Z12", "Z32")
async def test_a_risk_stated_again_after_a_decision_is_active_and_contradicted(store: Store) -> None:
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    [fact] = (await facts_of(store, patient)).values()
    await decided(store, patient, fact, Change.REFUTE)
    await told(store, seen(patient))
    [stored] = (await facts_of(store, patient)).values()
    assert (stored.status, stored.contradicted, stored.changed_by, stored.changed_at) == (Status.ACTIVE, True, "", None)
    assert await is_whole(store, patient)


@pytest.mark.proves("Z36")
async def test_of_many_who_decide_at_once_one_is_recorded(store: Store) -> None:
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    [fact] = (await facts_of(store, patient)).values()
    several = await asyncio.gather(
        *(decided(store, patient, fact, Change.REFUTE, actor=f"Dr {number}") for number in range(6))
    )
    assert sorted(done.outcome for done in several) == ["already"] * 5 + ["changed"]
    [_, event] = await store.history(patient.space, fact.fact_id)
    assert {done.after.changed_by for done in several} == {event.actor}
    assert await is_whole(store, patient)


async def test_a_request_waits_beside_the_fact_until_it_is_made(store: Store) -> None:
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    [fact] = (await facts_of(store, patient)).values()
    reviewing = reviewing_in(store, patient)
    asked = [
        await reviewing.request_change(fact.fact_id, Change.REFUTE, reason=WHY, actor=ADA, version=fact.last_seq)
        for _ in range(2)
    ]
    waiting = (await store.neighbourhood(patient, (ALLERGY,))).pending
    await rebuild(store, SCHEMA, [patient])
    assert (await store.neighbourhood(patient, (ALLERGY,))).pending == waiting
    done = await decided(store, patient, fact, Change.REFUTE)
    assert [(each.outcome, each.event_id) for each in asked] == [("requested", waiting[0].id)] * 2
    assert (len(waiting), done.after.status) == (1, Status.REFUTED)
    assert (await store.neighbourhood(patient, (ALLERGY,))).pending == ()
    settled = await store.episode(patient.space, waiting[0].id)
    assert settled is not None
    assert (settled.status, settled.settled_by, settled.settled_because) == (EpisodeStatus.EXTRACTED, ADA, WHY)
    assert settled.settled_at is not None


async def test_words_are_settled_with_what_a_person_read_in_them_or_with_a_reason(store: Store) -> None:
    patient = await a_declared_patient(store)
    read, idle = (
        an_episode(patient, text, status=EpisodeStatus.NEEDS_REVIEW, review=(text,))
        for text in ("That white pill again.", "A lovely day.")
    )
    for episode in (read, idle):
        await store.add_episode(episode)
    claim = Claim(relation=ALLERGY, object="white pill", evidence="white pill", attrs={"severity": "severe"})
    [fact] = await reviewing_in(store, patient).store_reviewed(read.id, [claim], actor=ADA)
    await reviewing_in(store, patient).dismiss(idle.id, actor=ADA, reason="small talk")
    found = await store.neighbourhood(patient, (ALLERGY,))
    [event] = await store.history(patient.space, fact.fact_id)
    assert (found.facts, found.pending) == ((fact,), ())
    assert (event.actor, event.evidence, event.episode_id) == (ADA, "white pill", read.id)
    settled = await store.episode(patient.space, idle.id)
    assert settled is not None
    assert (settled.settled_by, settled.settled_because, settled.text) == (ADA, "small talk", "A lovely day.")
    with pytest.raises(InvalidInput, match="nothing that waits"):
        await reviewing_in(store, patient).dismiss(settled.id, actor=ADA, reason="again")
    assert await is_whole(store, patient)


async def waiting(store: Store, patient: Entity, text: str = "That white pill again.") -> Episode:
    """Words that wait for a person, as everybody has read them."""
    [episode] = await store.add_episode(an_episode(patient, text, status=EpisodeStatus.NEEDS_REVIEW, review=(text,)))
    return episode


def settled_by(episode: Episode, who: str) -> Episode:
    return replace(
        episode,
        status=EpisodeStatus.EXTRACTED,
        review=(),
        settled_by=who,
        settled_because=WHY,
        settled_at=episode.recorded_at + 1,
    )


async def settle(store: Store, patient: Entity, episode: Episode) -> None:
    """What one process writes that read the words while they waited."""
    head = (await store.chain(patient.uid, ())).head
    await store.append(Batch(subject=patient, events=(), facts=(), episode=episode, previous=head, head=head))


async def test_words_that_two_processes_settle_are_settled_by_the_first(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = await waiting(store, patient)
    await settle(store, patient, settled_by(episode, ADA))
    with pytest.raises(AlreadyDecided, match="somebody has decided it meanwhile"):
        await settle(store, patient, settled_by(episode, "Dr Bob"))
    await settle(store, patient, settled_by(episode, ADA))  # whose answer may have been lost
    found = await store.episode(patient.space, episode.id)
    assert found is not None
    assert found.settled_by == ADA
    assert await is_whole(store, patient)


async def test_the_roll_tells_of_whom_how_much_waits(store: Store) -> None:
    space = a_space()
    patient, other = await a_declared_patient(store, space), await a_declared_patient(store, space, "JD002", "Jane Roe")
    one, two = await waiting(store, patient), await waiting(store, patient, "That other pill.")
    await settle(store, patient, settled_by(one, ADA))
    found = await store.roll(space, patient.type)
    assert [(who.id, who.name, waits) for who, waits in found.people] == [
        (patient.id, patient.name, 1),
        (other.id, "Jane Roe", 0),
    ]
    assert (found.number, found.waiting) == (2, 1)
    part = await store.roll(space, patient.type, start=1, limit=1)
    assert ([who.id for who, _ in part.people], part.number) == ([other.id], 2)
    sought = await store.roll(space, patient.type, holding="ne ro")
    assert ([who.id for who, _ in sought.people], sought.number, sought.waiting) == ([other.id], 1, 0)
    assert (await store.roll(a_space(), patient.type)).number == 0
    # What was read before is not shown any more once somebody came, or what waited is settled.
    newest = await a_declared_patient(store, space, "JD003", "Jim Poe")
    await settle(store, patient, settled_by(two, ADA))
    found = await store.roll(space, patient.type)
    assert [(who.id, waits) for who, waits in found.people] == [(who.id, 0) for who in (patient, other, newest)]


async def test_a_fact_read_in_words_that_somebody_else_settled_first_is_not_stored(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = await waiting(store, patient)
    batch = await next_batch(store, episode, seen(patient))
    await settle(store, patient, settled_by(episode, ADA))
    with pytest.raises(AlreadyDecided):
        await store.append(replace(batch, episode=settled_by(episode, "Dr Bob")))
    assert await facts_of(store, patient) == {}
    assert await is_whole(store, patient)


async def test_a_reader_that_comes_late_does_not_reopen_what_a_person_settled(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = await waiting(store, patient)
    batch = await next_batch(store, episode, seen(patient), settled=EpisodeStatus.NEEDS_REVIEW)
    await settle(store, patient, settled_by(episode, ADA))
    for late in (store.append(batch), settle(store, patient, episode), store.begin_reading(episode)):
        with pytest.raises(AlreadyDecided):
            await late
    await store.append(replace(batch, episode=None))
    assert set(await facts_of(store, patient)) == {PENICILLIN.id}
    assert (await store.neighbourhood(patient, (ALLERGY,))).pending == ()
    assert await is_whole(store, patient)


async def test_a_fact_moves_to_its_own_subject_with_its_words(store: Store) -> None:
    space = a_space()
    patient = await a_declared_patient(store, space)
    other = await a_declared_patient(store, space, "JD002", "Jane Roe")
    await told(store, seen(patient, WARFARIN, relation=TAKES))
    await told(store, seen(patient))
    fact = (await facts_of(store, patient))[PENICILLIN.id]
    done = await decided(store, patient, fact, Change.REATTRIBUTE, "JD002")
    here, there = await facts_of(store, patient), await facts_of(store, other)
    assert (here[PENICILLIN.id].status, here[WARFARIN.id].status) == (Status.ENTERED_IN_ERROR, Status.ACTIVE)
    assert done.elsewhere == there[PENICILLIN.id]
    assert (there[PENICILLIN.id].evidence, there[PENICILLIN.id].episode_id) == (fact.evidence, fact.episode_id)
    assert there[PENICILLIN.id].flags == {Flag.REATTRIBUTED}
    again = await decided(store, patient, fact, Change.REATTRIBUTE, "JD002")
    assert (again.outcome, (await facts_of(store, other))[PENICILLIN.id].observations) == ("already", 1)
    assert (await store.neighbourhood(patient, (ALLERGY,))).pending == ()
    assert await is_whole(store, patient, other)


async def test_a_mapped_word_stands_under_its_term_alone(store: Store) -> None:
    patient = await a_declared_patient(store)
    strange = unmapped(patient.space, f"strange {uuid.uuid4().hex[:6]}")
    await told(store, seen(patient, strange, flags=frozenset({Flag.UNMAPPED})))
    fact = (await facts_of(store, patient))[strange.id]
    done = await decided(store, patient, fact, Change.MAP_WORD, PENICILLIN.id)
    facts = await facts_of(store, patient)
    assert done.elsewhere == facts[PENICILLIN.id]
    assert [found.object.id for found in facts.values() if found.status in RISK] == [PENICILLIN.id]
    assert facts[strange.id].attrs["mapped_to"] == PENICILLIN.uid
    assert facts[PENICILLIN.id].attrs == {"severity": "severe"}
    assert await is_whole(store, patient)
