"""What every store must do alike: the oracle, the embedded database, and both lines of Neo4j."""

import asyncio
import uuid
from dataclasses import replace

import pytest

from r_memory.domain.events import OPEN, Batch, Chain, ChainHead, Episode, EpisodeStatus, chain_differences, observed
from r_memory.domain.facts import Entity, Flag, Observation, Status, concept
from r_memory.domain.folding import fold_all
from r_memory.domain.instants import Period
from r_memory.domain.knowledge import MEMBER_OF, Knowledge, Link
from r_memory.errors import AlreadyDecided, ConfigurationError, InvalidInput, SubjectUnknown, WriteConflict
from r_memory.protocols import Store, Traversal
from r_memory.store.bolt import Endpoint
from tests.store.stores import opened
from tests.store.world import (
    ALLERGY,
    NOW,
    PENICILLIN,
    SCHEMA,
    TAKES,
    WARFARIN,
    a_declared_patient,
    a_patient,
    a_receipt,
    a_schema,
    a_space,
    an_episode,
    batch_of,
    changed,
    next_batch,
    seen,
    told,
    unmapped,
)

pytestmark = pytest.mark.anyio

RELATIONS = (ALLERGY, TAKES)
HOSTILE = (
    "'; MATCH (n) DETACH DELETE n //",
    '"}) DETACH DELETE n //',
    "`]->() DELETE n",
    "\\' OR 1=1 \\u0027",
    "$subject_uid {uid: $uid}",
    "שלום \u202eabc\u202c العربية",
    "👩🏽\u200d⚕️ 🧪 — naïve café\u0301",
    "line\nbreak\r\ttab \x1b[31m",
    "\U0001d518\U0001d52b \U0010fffd",
)


# --- entries of a record ---------------------------------------------------------------------------------------------


def settled(patient: Entity, status: EpisodeStatus = EpisodeStatus.EXTRACTED) -> Episode:
    """An entry as it is stored: read already."""
    return an_episode(patient, status=status, attempts=0)


async def with_entries(store: Store, patient: Entity, entries: tuple[Episode, ...], *heard: Observation) -> Batch:
    """What an import writes of entries: all observations rest on the first."""
    ids = [observation.fact_id for observation in heard]
    chain = await store.chain(patient.uid, ids)
    events = observed(heard, episode=entries[0], head=chain.head, now=NOW, schema_version=SCHEMA.version)
    return replace(batch_of(chain, None, patient, events, EpisodeStatus.EXTRACTED), entries=entries)


@pytest.mark.proves("Z18")
async def test_entries_are_stored_with_what_they_say_in_one_transaction(store: Store) -> None:
    patient = await a_declared_patient(store)
    entries = (settled(patient), settled(patient), settled(patient, EpisodeStatus.NEEDS_REVIEW))
    heard = (seen(patient), seen(patient, WARFARIN, relation=TAKES))
    batch = await with_entries(store, patient, entries, *heard)

    await store.append(batch)

    assert await store.episodes(patient.space, patient.uid) == entries
    assert await store.events(patient.uid) == batch.events
    assert await store.recorded_from(patient.space, entries[0].id) == batch.events
    found = await store.neighbourhood(patient, RELATIONS)
    assert (sorted(fact.fact_id for fact in found.facts), found.pending) == (
        sorted(item.fact_id for item in heard),
        entries[2:],
    )
    assert not found.failed
    assert not (await store.inspect([patient]))[0].problems


@pytest.mark.proves("Z18")
async def test_of_entries_one_of_which_is_known_nothing_is_stored(store: Store) -> None:
    patient = await a_declared_patient(store)
    known, new = an_episode(patient), settled(patient)
    await store.add_episode(known)
    batch = await with_entries(store, patient, (new, known), seen(patient))

    with pytest.raises(WriteConflict, match="stored already"):
        await store.append(batch)

    assert await store.episodes(patient.space, patient.uid) == (known,)
    assert await store.events(patient.uid) == ()


@pytest.mark.proves("Z18")
async def test_entries_whose_chain_went_on_meanwhile_are_not_stored(store: Store) -> None:
    patient = await a_declared_patient(store)
    late = settled(patient)
    batch = await with_entries(store, patient, (late,), seen(patient))
    first = await told(store, seen(patient, WARFARIN))

    with pytest.raises(WriteConflict):
        await store.append(batch)

    assert late not in await store.episodes(patient.space, patient.uid)
    assert await store.events(patient.uid) == first.events


async def test_entries_that_state_nothing_are_stored_without_events(store: Store) -> None:
    patient = await a_declared_patient(store)
    entries = (settled(patient), settled(patient))

    await store.append(await with_entries(store, patient, entries))

    assert await store.episodes(patient.space, patient.uid) == entries


# --- subjects --------------------------------------------------------------------------------------------------------


async def test_a_declared_subject_is_found_by_id_and_by_name_in_any_case(store: Store) -> None:
    patient = Entity(
        space=a_space(),
        type="Patient",
        id="JD001",
        name="John DOE",
        aliases=("Johnny", "J. D."),
        codes={"mrn": "0042", "version": 3, "ratio": 0.5, "checked": True},
    )
    await store.declare_subject(patient)
    assert await store.subjects(patient.space, "Patient", id_="JD001") == (patient,)
    assert await store.subjects(patient.space, "Patient", called="jOHN doe") == (patient,)
    assert await store.subjects(patient.space, "Patient", id_="JD001", called="john doe") == (patient,)
    assert await store.subjects(patient.space, "Patient", id_="JD001", called="jane doe") == ()


@pytest.mark.proves("Z10")
async def test_a_word_finds_everybody_whose_id_or_name_reads_like_it(store: Store) -> None:
    space = a_space()
    named = await a_declared_patient(store, space, "JD001", "John  DOE")
    numbered = await a_declared_patient(store, space, "JOHN Doe", "Eve Mallory")
    both = await a_declared_patient(store, space, "john doe", "Jo\u200dhn Doe")
    await a_declared_patient(store, space, "JD002", "John Does")
    assert await store.subjects(space, "Patient", called="john doe") == (named, numbered, both)
    assert await store.subjects(space, "Patient", called="eve mallory") == (numbered,)
    assert await store.subjects(space, "Patient", called="john doe", limit=1) == (named,)


async def test_declaring_again_changes_nothing(store: Store) -> None:
    patient = await a_declared_patient(store)
    await store.declare_subject(replace(patient, name="Somebody Else"))
    assert await store.subjects(patient.space, "Patient", id_=patient.id) == (patient,)


@pytest.mark.proves("Z10", "RM-20")
async def test_two_subjects_of_one_name_are_both_given_by_id(store: Store) -> None:
    space = a_space()
    second = await a_declared_patient(store, space, "JD002")
    first = await a_declared_patient(store, space, "JD001")
    other = await a_declared_patient(store, space, "XX", "Mary Major")
    assert await store.subjects(space, "Patient", called="john doe") == (first, second)
    assert await store.subjects(space, "Patient", called=["jd002", "mary  MAJOR", "nobody"]) == (second, other)
    assert await store.subjects(space, "Patient") == (first, second, other)
    assert await store.subjects(space, "Patient", limit=2) == (first, second)


@pytest.mark.parametrize(("id_", "called"), [("JD001", ""), ("", "John Doe"), ("", "")])
async def test_nobody_is_an_empty_answer(store: Store, id_: str, called: str) -> None:
    assert await store.subjects(a_space(), "Patient", id_=id_, called=called) == ()


async def test_ids_that_look_like_parts_of_a_key_stay_apart(store: Store) -> None:
    space = a_space()
    ids = ["a/b", "a%2Fb", "a#1", "a", "#", "%", "a/b/c", "ä"]
    for id_ in ids:
        await a_declared_patient(store, space, id_, f"name of {id_}")
    assert {entity.id: entity.name for entity in await store.subjects(space, "Patient")} == {
        id_: f"name of {id_}" for id_ in ids
    }


@pytest.mark.proves("Z10")
async def test_a_word_finds_everybody_who_is_called_so_with_the_fact_that_says_it(store: Store) -> None:
    called = SCHEMA.relations[ALLERGY]
    space, elsewhere = a_space(), a_space()
    ann = await a_declared_patient(store, space, "JD001", "Ann Roe")
    eve = await a_declared_patient(store, space, "JD002", "Eve Roe")
    stranger = await a_declared_patient(store, elsewhere, "JD001", "Ann Roe")
    for one, word in ((ann, "Mum"), (eve, "Granny  Lou"), (eve, "Aunt"), (stranger, "Mum")):
        await told(store, seen(one, concept("Drug", word, space=one.space)))
    await told(store, seen(eve, concept("Drug", "Mum", space=space), relation=TAKES))

    found = await store.called_so(space, called, ["MUM", "granny lou", "nobody"])

    facts = {item.uid: (await store.neighbourhood(item, [ALLERGY])).facts for item in (ann, eve)}
    lou = next(fact for fact in facts[eve.uid] if fact.object.name == "Granny  Lou")
    assert sorted(found, key=lambda pair: pair[0].id) == [(ann, facts[ann.uid][0]), (eve, lou)]
    assert await store.called_so(space, called, []) == ()
    assert await store.called_so(a_space(), called, ["Mum"]) == ()
    # What a request is about is asked with it, in one round trip.
    words = ["MUM", "granny lou", "nobody"]
    people, so_called, _ = await store.surroundings(eve, [TAKES], called=["ann roe"], so_called=(called, words))
    assert (people, sorted(so_called, key=lambda pair: pair[0].id)) == ((ann,), [(ann, facts[ann.uid][0]), (eve, lou)])
    assert (await store.surroundings(eve, [TAKES], called=["Mum"], so_called=(called, [])))[:2] == ((), ())


# --- episodes --------------------------------------------------------------------------------------------------------


async def test_an_episode_comes_back_with_every_field(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(
        patient,
        conversation="visit 7",
        role="document",
        language="en",
        status=EpisodeStatus.NEEDS_REVIEW,
        review=("I get a rash from it.", ""),
        attempts=1,
        said_at=-62_000_000_000,
    )
    assert await store.add_episode(episode) == (episode,)
    assert await store.episode(patient.space, episode.id) == episode
    assert await store.episode(patient.space, "another") is None


@pytest.mark.proves("Z18")
async def test_an_episode_added_again_is_the_one_stored_first(store: Store) -> None:
    patient = await a_declared_patient(store)
    first = an_episode(patient, conversation="c")
    await store.add_episode(first)
    again = replace(first, text="other words", recorded_at=NOW + 9)
    assert await store.add_episode(again, turns=9) == (first,)
    assert await store.conversation(patient.space, patient.uid, "c", limit=9) == (first,)


async def test_a_reading_is_counted_before_it_begins_and_settling_sets_the_count_back(store: Store) -> None:
    """A text that kills its reader must not be read at every start (attack C2)."""
    patient = await a_declared_patient(store)
    (said,) = await store.add_episode(an_episode(patient, attempts=1))
    begun = await store.begin_reading(said)
    assert begun == replace(said, attempts=2)
    assert await store.episode(patient.space, said.id) == begun
    assert await store.open_episodes(patient.space) == (begun,)
    await store.append(await next_batch(store, replace(begun, attempts=0), seen(patient)))
    settled = await store.episode(patient.space, said.id)
    assert settled is not None
    assert (settled.attempts, settled.status) == (0, EpisodeStatus.EXTRACTED)


async def test_words_that_were_read_meanwhile_do_not_wait_again(store: Store) -> None:
    """A start lists what is unread while a call reads what it has just stored."""
    patient = await a_declared_patient(store)
    (listed,) = await store.add_episode(an_episode(patient))
    await store.append(await next_batch(store, listed, seen(patient)))
    with pytest.raises(AlreadyDecided):
        await store.begin_reading(listed)
    assert await store.open_episodes(patient.space) == ()
    read = await store.episode(patient.space, listed.id)
    assert read is not None
    assert read.status is EpisodeStatus.EXTRACTED


async def test_a_reading_of_words_that_are_not_stored_is_refused(store: Store) -> None:
    patient = await a_declared_patient(store)
    with pytest.raises(InvalidInput, match="not stored"):
        await store.begin_reading(an_episode(patient))


async def test_an_episode_about_nobody_is_refused(store: Store) -> None:
    with pytest.raises(SubjectUnknown):
        await store.add_episode(an_episode(a_patient(a_space())))


async def test_a_conversation_gives_its_last_turns_in_the_order_of_arrival(store: Store) -> None:
    """The clock runs backwards meanwhile; order does not come from it."""
    patient = await a_declared_patient(store)
    turns = [an_episode(patient, f"turn {n}", conversation="c/1#%", recorded_at=NOW - n) for n in range(7)]
    for place, turn in enumerate(turns):
        assert await store.add_episode(turn, turns=3) == tuple(turns[max(place - 3, 0) : place + 1])
        await store.add_episode(an_episode(patient, "elsewhere", conversation="c"))
        await store.add_episode(an_episode(patient, "no conversation"))
    assert await store.conversation(patient.space, patient.uid, "c/1#%", limit=3) == tuple(turns[-3:])
    assert await store.conversation(patient.space, patient.uid, "c/1#%", limit=99) == tuple(turns)
    assert await store.conversation(patient.space, patient.uid, "c/1#%", limit=0) == ()
    before = await store.conversation(patient.space, patient.uid, "c/1#%", limit=3, until=turns[4].id)
    assert before == tuple(turns[2:5])
    assert await store.conversation(patient.space, patient.uid, "never", limit=3) == ()
    assert len(await store.conversation(patient.space, patient.uid, "", limit=99)) == 7


async def test_open_episodes_of_the_space_wait_oldest_first(store: Store) -> None:
    patient = await a_declared_patient(store)
    later = an_episode(patient, recorded_at=NOW + 5, status=EpisodeStatus.FAILED)
    earlier = an_episode(patient, recorded_at=NOW)
    done = an_episode(patient, status=EpisodeStatus.EXTRACTED)
    for_a_person = an_episode(patient, status=EpisodeStatus.NEEDS_REVIEW)
    for_a_model = an_episode(patient, recorded_at=NOW + 6, status=EpisodeStatus.RETRY)
    for episode in (later, earlier, done, for_a_person, for_a_model):
        await store.add_episode(episode)
    assert await store.open_episodes(patient.space) == (earlier, later, for_a_model)
    assert await store.open_episodes(patient.space, limit=1) == (earlier,)
    assert await store.open_episodes(a_space()) == ()


async def test_what_gave_no_fact_yet_is_pending_in_the_same_answer(store: Store) -> None:
    patient = await a_declared_patient(store)
    review = an_episode(patient, recorded_at=NOW + 7, status=EpisodeStatus.NEEDS_REVIEW)
    failed = an_episode(patient, recorded_at=NOW + 5, status=EpisodeStatus.FAILED)
    pending = an_episode(patient, recorded_at=NOW)
    read = [an_episode(patient, status=status) for status in (EpisodeStatus.EXTRACTED, EpisodeStatus.RETRY)]
    for episode in (review, failed, pending, *read):
        await store.add_episode(episode)
    found = await store.neighbourhood(patient, ())
    assert found.pending == (pending, failed, review)
    assert (found.facts, found.watermark, dict(found.failed)) == ((), 0, {})


# --- events and facts ------------------------------------------------------------------------------------------------


async def test_facts_and_events_come_back_with_every_field(store: Store) -> None:
    patient = await a_declared_patient(store)
    # Of the tenant's own space, so that no pack changes its names.
    drug = Entity(
        space=patient.space,
        type="DrugClass",
        id="penicillin",
        name="Penicillin",
        aliases=("PCN",),
        codes={"rxcui": "7980"},
    )
    batch = await told(
        store,
        seen(
            patient,
            drug,
            attrs={"severity": "severe", "since": 1999, "dose": 0.25, "confirmed": False, "note": "a 'quoted' `word`"},
            valid=Period(start=NOW - 10, end=NOW + 10),
            flags=frozenset({Flag.COREF, Flag.FUZZY}),
        ),
        seen(patient, WARFARIN, relation=TAKES, attrs={}, valid=Period(end=NOW)),
        seen(patient, unmapped(patient.space, "Zyloflurane"), status=Status.UNCONFIRMED),
    )
    assert await store.events(patient.uid) == batch.events
    found = await store.neighbourhood(patient, RELATIONS)
    assert found.facts == batch.facts
    assert (found.pending, dict(found.failed), found.watermark) == ((), {}, 3)
    assert list(chain_differences(await store.events(patient.uid))) == []


async def test_two_facts_of_one_statement_may_share_an_object_that_nobody_named_before(store: Store) -> None:
    patient = await a_declared_patient(store)
    new = unmapped(patient.space, "Zyloflurane")
    of_both = (seen(patient, new, attrs={"relative": who}) for who in ("mother", "sister"))
    batch = await told(store, *(replace(item, identity=("relative",)) for item in of_both))
    assert (await store.neighbourhood(patient, RELATIONS)).facts == batch.facts
    assert [fact.attrs["relative"] for fact in batch.facts] == ["mother", "sister"]


async def test_only_the_relations_asked_for_are_given(store: Store) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    assert (await store.neighbourhood(patient, (TAKES,))).facts == batch.facts[1:]
    assert (await store.neighbourhood(patient, (TAKES, TAKES, "NOBODY_USES_THIS"))).facts == batch.facts[1:]


@pytest.mark.proves("Z10")
async def test_an_unknown_subject_is_an_error_and_not_an_empty_neighbourhood(store: Store) -> None:
    with pytest.raises(SubjectUnknown):
        await store.neighbourhood(a_patient(a_space()), RELATIONS)


async def test_a_subject_without_facts_is_an_empty_neighbourhood(store: Store) -> None:
    found = await store.neighbourhood(await a_declared_patient(store), RELATIONS)
    assert (found.facts, found.pending, dict(found.failed), found.watermark) == ((), (), {}, 0)


async def test_surroundings_are_people_by_words_and_a_neighbourhood_at_once(store: Store) -> None:
    patient = await a_declared_patient(store)
    jane = await a_declared_patient(store, patient.space, "JD002", "Jane Roe")
    await a_declared_patient(store, a_space(), "JD001", "John Doe")
    await told(store, seen(patient))
    waiting = an_episode(patient)
    await store.add_episode(waiting)
    people, _, found = await store.surroundings(patient, RELATIONS, called=["jane  ROE", "jd001", "nobody"])
    assert people == (patient, jane)
    assert found == await store.neighbourhood(patient, RELATIONS)
    assert found.pending == (waiting,)


async def test_surroundings_of_nobody_are_people_alone(store: Store) -> None:
    """The word for whom a call is about may be a name, and then no key."""
    patient = await a_declared_patient(store)
    nobody = a_patient(patient.space, "John Doe", "John Doe")
    assert await store.surroundings(nobody, RELATIONS, called=["John Doe"]) == ((patient,), (), None)


async def test_the_present_state_is_exactly_the_newest_fold(store: Store) -> None:
    """Attributes that the newest fold no longer has are gone, not left over."""
    patient = await a_declared_patient(store)
    first = await told(store, seen(patient, valid=Period(start=1, end=2)))
    batch = await next_batch(store, an_episode(patient), seen(patient, attrs={}))
    assert batch.episode is not None
    await store.add_episode(batch.episode)
    bare = replace(batch.facts[0], attrs={}, valid=Period())
    await store.append(replace(batch, facts=(bare,)))
    assert (await store.neighbourhood(patient, RELATIONS)).facts == (bare,)
    assert first.facts[0].fact_id == bare.fact_id


@pytest.mark.proves("Z12", "RM-23")
async def test_a_newer_denial_leaves_every_event_in_the_chain(store: Store) -> None:
    patient = await a_declared_patient(store)
    first = await told(store, seen(patient))
    second = await told(store, seen(patient, status=Status.NEGATED, attrs={}))
    assert await store.events(patient.uid) == (*first.events, *second.events)
    (fact,) = (await store.neighbourhood(patient, RELATIONS)).facts
    assert (fact.status, fact.contradicted, fact.observations) == (Status.ACTIVE, True, 2)


@pytest.mark.proves("Z32")
async def test_a_change_by_a_person_needs_no_utterance_and_moves_the_head(store: Store) -> None:
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    (fact,) = (await store.neighbourhood(patient, RELATIONS)).facts
    batch = await changed(store, patient, fact, Status.REFUTED)
    assert (await store.neighbourhood(patient, RELATIONS)).facts == batch.facts
    chain = await store.chain(patient.uid, ())
    assert (chain.head, chain.head.changed_seq, chain.events) == (batch.head, 2, ())
    assert (await store.history(patient.space, fact.fact_id))[-1].actor == "Dr. Grey"


async def test_a_change_by_a_person_leaves_every_pending_statement_in_view(store: Store) -> None:
    """Found by the state machine: ArcadeDB takes a pattern's node that is null for any node."""
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    waiting = (an_episode(patient), an_episode(patient))
    for episode in waiting:
        await store.add_episode(episode)
    (fact,) = (await store.neighbourhood(patient, RELATIONS)).facts
    await changed(store, patient, fact, Status.REFUTED)
    assert (await store.neighbourhood(patient, RELATIONS)).pending == waiting
    assert len(await store.events(patient.uid)) == 2


async def test_a_chain_gives_its_end_and_the_events_of_the_facts_asked_for(store: Store) -> None:
    patient = await a_declared_patient(store)
    first = await told(store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    second = await told(store, seen(patient, attrs={"severity": "mild"}))
    chain = await store.chain(patient.uid, [seen(patient).fact_id, seen(patient).fact_id, "unknown"])
    assert chain.events == (first.events[0], *second.events)
    assert chain.head == second.head
    assert (await store.chain(a_patient(a_space()).uid, ["unknown"])).head == ChainHead()


async def test_history_takes_a_short_id_and_nothing_shorter_than_eight(store: Store) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient))
    fact = batch.facts[0]
    assert await store.history(patient.space, fact.short_id) == batch.events
    assert await store.history(patient.space, fact.fact_id) == batch.events
    assert await store.history(patient.space, "ffffffff-none") == ()
    assert await store.history(patient.space, "%%%%%%%%") == ()
    with pytest.raises(InvalidInput, match="too short"):
        await store.history(patient.space, fact.fact_id[:7])


async def test_a_short_id_of_two_facts_names_both(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(patient)
    await store.add_episode(episode)
    batch = await next_batch(store, episode, seen(patient), seen(patient, WARFARIN))
    start = uuid.uuid4().hex[:8]
    twins = [f"{start}-1", f"{start}-2"]
    events = [replace(event, fact_id=twin) for event, twin in zip(batch.events, twins, strict=True)]
    await store.append(replace(batch, events=tuple(events), facts=fold_all(events)))
    with pytest.raises(InvalidInput, match=f"{twins[0]}, {twins[1]}"):
        await store.history(patient.space, start)
    assert await store.history(patient.space, twins[1]) == (events[1],)


async def test_events_of_an_utterance_are_those_it_gave(store: Store) -> None:
    patient = await a_declared_patient(store)
    first = await told(store, seen(patient))
    second = await told(store, seen(patient), seen(patient, WARFARIN))
    assert second.episode is not None
    assert await store.recorded_from(patient.space, second.episode.id) == second.events
    assert await store.recorded_from(patient.space, "unknown") == ()
    assert first.events[0] not in second.events


async def test_past_beliefs_are_the_fold_of_what_was_recorded_by_then(store: Store) -> None:
    patient = await a_declared_patient(store)
    first = await told(store, seen(patient), recorded_at=NOW)
    await told(store, seen(patient, status=Status.NEGATED), recorded_at=NOW + 1_000)
    events = await store.events(patient.uid)
    assert fold_all(event for event in events if event.recorded_at <= NOW + 999) == first.facts
    assert fold_all(events) == (await store.neighbourhood(patient, RELATIONS)).facts


async def test_order_is_the_sequence_when_the_clock_runs_backwards(store: Store) -> None:
    patient = await a_declared_patient(store)
    for step in range(4):
        await told(store, seen(patient, attrs={"step": step}), recorded_at=NOW - step * 10_000)
    events = await store.events(patient.uid)
    assert [event.seq for event in events] == [1, 2, 3, 4]
    assert [event.attrs["step"] for event in events] == [0, 1, 2, 3]
    assert {event.recorded_at for event in events} == {NOW}
    assert list(chain_differences(events)) == []


async def test_the_status_of_an_utterance_moves_on_with_its_facts(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(patient)
    await store.add_episode(episode)
    batch = await next_batch(store, episode, seen(patient), settled=EpisodeStatus.NEEDS_REVIEW)
    assert batch.episode is not None
    open_still = replace(batch.episode, review=("and something else",))
    await store.append(replace(batch, episode=open_still))
    assert await store.episode(patient.space, episode.id) == open_still
    assert (await store.neighbourhood(patient, RELATIONS)).pending == (open_still,)


@pytest.mark.parametrize("settled", list(EpisodeStatus))
async def test_an_utterance_that_gave_no_fact_is_settled_without_touching_the_chain(
    store: Store, settled: EpisodeStatus
) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(patient)
    await store.add_episode(episode)
    chain = await store.chain(patient.uid, ())
    told_first = await told(store, seen(patient))
    batch = await next_batch(store, episode, seen(patient), settled=settled)
    await store.append(replace(batch, events=(), facts=(), previous=chain.head, head=chain.head))
    await store.append(replace(batch, events=(), facts=(), previous=chain.head, head=chain.head))
    assert batch.episode is not None
    assert (await store.chain(patient.uid, ())).head == told_first.head
    pending = (batch.episode,) if settled in OPEN else ()
    assert (await store.neighbourhood(patient, RELATIONS)).pending == pending


# --- writes that run twice, and writers that meet --------------------------------------------------------------------


@pytest.mark.proves("Z18", "Z36")
async def test_a_batch_applied_twice_is_applied_once(store: Store) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    await store.append(batch)
    assert await store.events(patient.uid) == batch.events
    assert (await store.neighbourhood(patient, RELATIONS)).facts == batch.facts


@pytest.mark.proves("Z18")
async def test_what_the_ledger_holds_otherwise_is_not_called_written(store: Store) -> None:
    """Another writer recorded the same words meanwhile: its event has our id and place, and is not ours."""
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient))
    ours = tuple(replace(event, recorded_at=NOW + 9, hash="").sealed() for event in batch.events)
    with pytest.raises(WriteConflict):
        await store.append(replace(batch, events=ours, facts=fold_all(ours), head=ChainHead().after(ours)))
    assert await store.events(patient.uid) == batch.events


@pytest.mark.proves("Z18", "Z12")
async def test_a_late_repeat_does_not_undo_what_came_after(store: Store) -> None:
    patient = await a_declared_patient(store)
    first = await told(store, seen(patient))
    second = await told(store, seen(patient, status=Status.NEGATED))
    await store.append(first)
    assert (await store.neighbourhood(patient, RELATIONS)).facts == second.facts
    assert (await store.chain(patient.uid, ())).head == second.head


@pytest.mark.proves("Z36")
async def test_a_writer_who_read_an_older_chain_is_told_so_and_changes_nothing(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(patient)
    await store.add_episode(episode)
    late = await next_batch(store, episode, seen(patient, WARFARIN), seen(patient, WARFARIN, relation=TAKES))
    first = await told(store, seen(patient))
    with pytest.raises(WriteConflict):
        await store.append(late)
    assert await store.events(patient.uid) == first.events
    found = await store.neighbourhood(patient, RELATIONS)
    assert (found.facts, found.pending) == (first.facts, (episode,))


@pytest.mark.proves("Z36")
async def test_of_two_writers_at_once_one_wins_and_the_chain_is_whole(place: Endpoint | None, store: Store) -> None:
    patient = await a_declared_patient(store)
    async with opened(place) as other:
        await other.prepare(SCHEMA)
        second = store if place is None else other
        batches = []
        for writer, drug in ((store, PENICILLIN), (second, WARFARIN)):
            episode = an_episode(patient)
            await writer.add_episode(episode)
            batches.append(await next_batch(writer, episode, seen(patient, drug)))
        results = await asyncio.gather(store.append(batches[0]), second.append(batches[1]), return_exceptions=True)
    assert sorted(type(result).__name__ for result in results) == ["NoneType", "WriteConflict"]
    events = await store.events(patient.uid)
    assert len(events) == 1
    assert list(chain_differences(events)) == []


@pytest.mark.proves("Z36")
async def test_the_same_fact_from_many_at_once_is_one_fact_with_all_evidence(store: Store) -> None:
    patient = await a_declared_patient(store)

    async def say() -> None:
        episode = an_episode(patient)
        await store.add_episode(episode)
        while True:
            try:
                return await store.append(await next_batch(store, episode, seen(patient)))
            except WriteConflict:
                continue

    await asyncio.gather(*(say() for _ in range(8)))
    (fact,) = (await store.neighbourhood(patient, RELATIONS)).facts
    assert (fact.observations, fact.last_seq) == (8, 8)
    assert list(chain_differences(await store.events(patient.uid))) == []


@pytest.mark.proves("Z36")
async def test_a_writer_who_missed_an_event_of_a_fact_is_told_so_though_the_chain_ends_as_seen(store: Store) -> None:
    patient = await a_declared_patient(store)
    await told(store, seen(patient))
    before = await store.chain(patient.uid, [seen(patient).fact_id])
    first = await told(store, seen(patient, status=Status.REFUTED))
    episode = an_episode(patient)
    await store.add_episode(episode)
    torn = Chain(head=first.head, events=before.events)
    events = observed(
        [seen(patient)], episode=episode, head=torn.head, now=episode.recorded_at, schema_version=SCHEMA.version
    )
    with pytest.raises(WriteConflict):
        await store.append(batch_of(torn, episode, patient, events, EpisodeStatus.EXTRACTED))
    found = await store.neighbourhood(patient, RELATIONS)
    assert (found.facts, found.failed, found.pending) == (first.facts, {}, (episode,))


@pytest.mark.proves("Z17")
async def test_what_was_written_is_read_at_once(store: Store) -> None:
    patient = await a_declared_patient(store)
    for step in range(20):
        batch = await told(store, seen(patient, attrs={"step": step}))
        found = await store.neighbourhood(patient, RELATIONS)
        assert (found.watermark, found.facts) == (step + 1, batch.facts)


@pytest.mark.parametrize("missing", ["subject", "episode"])
async def test_a_batch_without_its_subject_or_utterance_writes_nothing(store: Store, missing: str) -> None:
    patient = await a_declared_patient(store)
    stranger = a_patient(patient.space, "stranger")
    about = stranger if missing == "subject" else patient
    batch = await next_batch(store, an_episode(about), seen(about))
    with pytest.raises(SubjectUnknown if missing == "subject" else InvalidInput):
        await store.append(batch)
    assert await store.events(about.uid) == ()


# --- spaces ----------------------------------------------------------------------------------------------------------


@pytest.mark.proves("Z10")
async def test_one_space_never_sees_anything_of_another(store: Store) -> None:
    """Same ids, same names, same words in both."""
    ours = await a_declared_patient(store, a_space())
    theirs = await a_declared_patient(store, a_space())
    said = an_episode(theirs, id="same-id", conversation="c", status=EpisodeStatus.FAILED)
    await store.add_episode(said)
    batch = await told(store, seen(theirs))
    await store.add_receipt(a_receipt(theirs, "same-receipt"))
    assert await store.episode(ours.space, "same-id") is None
    assert await store.conversation(ours.space, ours.uid, "c", limit=9) == ()
    assert await store.conversation(ours.space, theirs.uid, "c", limit=9) == ()
    assert await store.open_episodes(ours.space) == ()
    assert await store.history(ours.space, batch.facts[0].fact_id) == ()
    assert await store.history(ours.space, batch.facts[0].short_id) == ()
    assert batch.episode is not None
    assert await store.recorded_from(ours.space, batch.episode.id) == ()
    assert await store.receipts(ours.space, theirs.uid) == ()
    assert await store.subjects(ours.space, "Patient") == (ours,)
    found = await store.neighbourhood(ours, RELATIONS)
    assert (found.facts, found.pending, found.watermark) == ((), (), 0)


async def test_two_spaces_may_use_one_id_for_different_things(store: Store) -> None:
    ours, theirs = await a_declared_patient(store, a_space()), await a_declared_patient(store, a_space())
    for patient in (ours, theirs):
        await store.add_episode(an_episode(patient, patient.space, id="same-id", recorded_at=NOW))
        await store.add_receipt(replace(a_receipt(patient, "same-receipt"), shown_to=patient.space))
    for patient in (ours, theirs):
        episode = await store.episode(patient.space, "same-id")
        assert episode is not None
        assert episode.text == patient.space
        assert [receipt.shown_to for receipt in await store.receipts(patient.space, patient.uid)] == [patient.space]


@pytest.mark.proves("Z10")
@pytest.mark.parametrize("part", ["event", "fact", "episode", "object"])
async def test_a_batch_that_mixes_subjects_or_spaces_is_refused(store: Store, part: str) -> None:
    ours, theirs = await a_declared_patient(store, a_space()), await a_declared_patient(store, a_space())
    episode, foreign = an_episode(ours), an_episode(theirs)
    await store.add_episode(episode)
    await store.add_episode(foreign)
    batch = await next_batch(store, episode, seen(ours))
    other = await next_batch(store, foreign, seen(theirs))
    hidden = await next_batch(store, episode, seen(ours, unmapped(theirs.space, "their word")))
    mixed = {
        "event": replace(batch, events=other.events),
        "fact": replace(batch, facts=other.facts),
        "episode": replace(batch, episode=other.episode),
        "object": hidden,
    }
    with pytest.raises(InvalidInput):
        await store.append(mixed[part])
    assert await store.events(ours.uid) == ()


# --- state, receipts, health -----------------------------------------------------------------------------------------


async def test_replacing_the_state_makes_it_exactly_that_and_leaves_the_ledger(store: Store) -> None:
    patient = await a_declared_patient(store)
    other = await a_declared_patient(store, patient.space, "other")
    batch = await told(store, seen(patient), seen(patient, WARFARIN, relation=TAKES))
    others = await told(store, seen(other))
    waiting = an_episode(patient)
    await store.add_episode(waiting)
    kept = replace(batch.facts[1], status=Status.RESOLVED, attrs={"since": 1})
    await store.replace_state(patient, [kept])
    found = await store.neighbourhood(patient, RELATIONS)
    assert (found.facts, found.pending) == ((kept,), (waiting,))
    assert await store.events(patient.uid) == batch.events
    assert (await store.neighbourhood(other, RELATIONS)).facts == others.facts
    await store.replace_state(patient, [])
    assert (await store.neighbourhood(patient, RELATIONS)).facts == ()


@pytest.mark.proves("Z37")
async def test_facts_of_a_relation_that_left_the_schema_are_still_read_and_rebuilt(store: Store) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient, relation="HAD_ONCE"))
    await store.prepare(a_schema("next"))
    assert (await store.neighbourhood(patient, ("HAD_ONCE",))).facts == batch.facts
    await store.replace_state(patient, batch.facts)
    assert (await store.neighbourhood(patient, ("HAD_ONCE",))).facts == batch.facts


@pytest.mark.proves("Z37")
async def test_a_relation_that_left_the_schema_is_named_when_the_store_is_prepared(store: Store) -> None:
    once = replace(SCHEMA.relation(RELATIONS[0]), name="WAS_DECLARED")
    await store.prepare(replace(SCHEMA, version="with one more", relations={**SCHEMA.relations, once.name: once}))
    assert once.name in await store.prepare(SCHEMA)
    assert once.name in await store.prepare(SCHEMA)


@pytest.mark.proves("Z37")
async def test_preparing_names_the_relations_of_earlier_schemas(store: Store) -> None:
    gone = f"GONE_{uuid.uuid4().hex[:8].upper()}"
    earlier = a_schema("earlier")
    earlier = replace(earlier, relations={**earlier.relations, gone: replace(earlier.relation(TAKES), name=gone)})
    assert gone not in await store.prepare(earlier)
    for _ in range(2):
        left = await store.prepare(SCHEMA)
        assert gone in left
        assert not {ALLERGY, TAKES}.intersection(left)
    assert gone not in await store.prepare(earlier)
    await store.prepare(SCHEMA)


async def test_replacing_the_state_of_nobody_is_an_error(store: Store) -> None:
    with pytest.raises(SubjectUnknown):
        await store.replace_state(a_patient(a_space()), [])


async def test_receipts_come_back_newest_first_and_only_once(store: Store) -> None:
    patient = await a_declared_patient(store)
    receipts = [a_receipt(patient, f"01J{n}", shown_at=NOW + n // 2) for n in range(4)]
    for receipt in (*receipts, receipts[0]):
        await store.add_receipt(receipt)
    assert await store.receipts(patient.space, patient.uid) == tuple(reversed(receipts))
    assert await store.receipts(patient.space, patient.uid, limit=2) == (receipts[3], receipts[2])


async def test_a_receipt_of_nothing_shown_comes_back_as_such(store: Store) -> None:
    patient = await a_declared_patient(store)
    receipt = replace(a_receipt(patient, "empty"), intents=(), fact_ids=(), complete=True, shown_to="")
    await store.add_receipt(receipt)
    assert await store.receipts(patient.space, patient.uid) == (receipt,)


async def test_a_receipt_about_nobody_is_refused(store: Store) -> None:
    with pytest.raises(SubjectUnknown):
        await store.add_receipt(a_receipt(a_patient(a_space()), "01J"))


async def test_health_counts_what_is_open_and_names_the_schema(store: Store) -> None:
    await store.prepare(a_schema("of health"))
    before = await store.health()
    patient = await a_declared_patient(store)
    for status in EpisodeStatus:
        await store.add_episode(an_episode(patient, status=status))
    after = await store.health()
    assert after.pending - before.pending == 3
    assert (after.schema_version, after.latency_ms >= 0) == ("of health", True)
    await store.prepare(SCHEMA)
    assert (await store.health()).schema_version == SCHEMA.version


async def test_closing_twice_is_harmless(place: Endpoint | None) -> None:
    async with opened(place) as store:
        await store.prepare(SCHEMA)
        await store.close()
        await store.close()


async def test_a_relation_that_cannot_be_a_name_costs_the_others_nothing(store: Store) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient))
    found = await store.neighbourhood(patient, (ALLERGY, "X]->() DETACH DELETE n //"))
    assert found.facts == batch.facts


async def test_a_traversal_that_cannot_run_is_named_as_failed(store: Store) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient))
    broken = Traversal(
        path="cypher/recall/own.cypher",
        text="// Broken.\n//\n// mode: read\n// returns: relation, fact, object\n"
        "RETURN nonsense(1) AS relation, 1 AS fact, 2 AS object",
    )
    found = await store.neighbourhood(patient, RELATIONS, [broken])
    assert (found.facts, set(found.failed)) == (batch.facts, {"cypher/recall/own.cypher"})


# --- knowledge -------------------------------------------------------------------------------------------------------


def a_pack(*concepts: Entity, links: tuple[Link, ...] = ()) -> Knowledge:
    return Knowledge(
        name="mini", version=uuid.uuid4().hex[:12], concepts={entity.uid: entity for entity in concepts}, links=links
    )


# Of this session's own: a Neo4j server keeps what other tests say about the common ones.
PLAIN = concept("DrugClass", f"class {uuid.uuid4().hex[:8]}")
BETTER_NAMED = replace(PLAIN, name="Class (better named)", aliases=("PCN",), codes={"atc": "J01C"})
MEMBER = concept("Drug", f"member {uuid.uuid4().hex[:8]}", aliases=("amoxil",))


async def test_a_pack_names_the_objects_of_facts_old_and_new(store: Store) -> None:
    patient = await a_declared_patient(store)
    await store.load_knowledge(a_pack(PLAIN))
    await told(store, seen(patient, PLAIN))
    pack = a_pack(BETTER_NAMED, MEMBER, links=(Link(relation=MEMBER_OF, start=MEMBER.uid, end=BETTER_NAMED.uid),))
    await store.load_knowledge(pack)
    await store.load_knowledge(pack)
    await told(store, seen(patient, MEMBER), seen(patient, PLAIN))
    found = await store.neighbourhood(patient, RELATIONS)
    assert [fact.object for fact in found.facts] == [MEMBER, BETTER_NAMED]
    assert [event.object for event in await store.events(patient.uid)] == [BETTER_NAMED, MEMBER, BETTER_NAMED]
    assert found.facts == tuple(sorted(fold_all(await store.events(patient.uid)), key=lambda fact: fact.last_seq))
    assert (await store.health()).pack_version == pack.version


@pytest.mark.proves("Z37")
async def test_facts_about_a_concept_that_left_the_pack_stay(store: Store) -> None:
    patient = await a_declared_patient(store)
    await store.load_knowledge(a_pack(PLAIN, MEMBER))
    batch = await told(store, seen(patient, PLAIN))
    await store.load_knowledge(a_pack(MEMBER))
    assert (await store.neighbourhood(patient, RELATIONS)).facts == batch.facts
    assert await store.events(patient.uid) == batch.events


async def test_the_ledger_names_an_object_by_its_key_when_its_node_is_gone(store: Store) -> None:
    patient = await a_declared_patient(store)
    gone = concept("Drug", f"Gone/50% {uuid.uuid4().hex[:8]}")
    await store.load_knowledge(a_pack(gone))
    batch = await told(store, seen(patient, gone))
    await store.replace_state(patient, [])
    await store.load_knowledge(a_pack(MEMBER))
    (event,) = await store.events(patient.uid)
    assert (event.hash, event.object.uid, event.object.name) == (batch.events[0].hash, gone.uid, gone.id)


async def test_a_link_to_nowhere_is_refused_before_anything_is_written(store: Store) -> None:
    await store.load_knowledge(a_pack(PLAIN))
    version = (await store.health()).pack_version
    dangling = a_pack(PLAIN, links=(Link(relation=MEMBER_OF, start=PLAIN.uid, end="knowledge/Drug/none"),))
    with pytest.raises(ConfigurationError, match="knowledge/Drug/none"):
        await store.load_knowledge(dangling)
    assert (await store.health()).pack_version == version


# --- hostile texts ---------------------------------------------------------------------------------------------------


@pytest.mark.proves("Z21", "RM-25")
@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_stored_and_given_back_unchanged(store: Store, text: str) -> None:
    patient = await a_declared_patient(store, a_space(), text, text)
    word = unmapped(patient.space, text)
    batch = await told(
        store, seen(patient, word, attrs={"note": text}, evidence=text), text=text, conversation=text, speaker=text
    )
    assert batch.episode is not None
    assert await store.episode(patient.space, batch.episode.id) == batch.episode
    assert await store.conversation(patient.space, patient.uid, text, limit=1) == (batch.episode,)
    assert (await store.neighbourhood(patient, RELATIONS)).facts == batch.facts
    assert await store.events(patient.uid) == batch.events
    assert await store.subjects(patient.space, "Patient", called=text) == (patient,)


async def test_a_megabyte_is_stored_and_given_back_unchanged(store: Store) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(patient, "ø'\"`\n" * 200_000)
    await store.add_episode(episode)
    assert await store.episode(patient.space, episode.id) == episode
    assert (await store.neighbourhood(patient, ())).pending == (episode,)


@pytest.mark.parametrize("text", ["nul \x00", "half \ud83d", "\udc00"])
async def test_what_no_store_keeps_is_refused(store: Store, text: str) -> None:
    patient = await a_declared_patient(store)
    with pytest.raises(InvalidInput):
        await store.add_episode(an_episode(patient, text))
    with pytest.raises(InvalidInput):
        await store.declare_subject(a_patient(patient.space, "x", text))
    episode = an_episode(patient)
    await store.add_episode(episode)
    with pytest.raises(InvalidInput):
        await store.append(await next_batch(store, episode, seen(patient, evidence=text)))
    with pytest.raises(InvalidInput):
        await store.add_receipt(replace(a_receipt(patient, "r"), shown_to=text))
    assert await store.events(patient.uid) == ()


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, float("inf"), float("nan")])
async def test_a_number_that_no_store_keeps_is_refused(store: Store, value: float) -> None:
    patient = await a_declared_patient(store)
    episode = an_episode(patient)
    await store.add_episode(episode)
    with pytest.raises(InvalidInput):
        await store.append(await next_batch(store, episode, seen(patient, attrs={"dose": value})))


@pytest.mark.parametrize("value", [2**63 - 1, -(2**63), 1.7976931348623157e308, 5e-324, 0.1, 1.0, True, ""])
async def test_extreme_values_come_back_with_their_kind(store: Store, value: float | str) -> None:
    patient = await a_declared_patient(store)
    batch = await told(store, seen(patient, attrs={"value": value}))
    (fact,) = (await store.neighbourhood(patient, RELATIONS)).facts
    assert (fact, type(fact.attrs["value"])) == (batch.facts[0], type(value))


async def test_episodes_are_found_by_words_that_they_hold_whoever_they_are_about(store: Store) -> None:
    patient = await a_declared_patient(store)
    other = replace(patient, id=f"{patient.id}-2", name="Somebody Else")
    await store.declare_subject(other)
    later = an_episode(patient, text="She has a red boat, he a blue one.", recorded_at=NOW + 5)
    earlier = an_episode(other, text="He has a blue one", recorded_at=NOW)
    for episode in (later, earlier, an_episode(patient, text="A Blue one.")):
        await store.add_episode(episode)
    assert await store.episodes_holding(patient.space, "a blue one") == (earlier, later)
    assert await store.episodes_holding(patient.space, "a blue one", limit=1) == (earlier,)
    assert await store.episodes_holding(a_space(), "a blue one") == ()
