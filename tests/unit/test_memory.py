"""The use cases over the oracle store: what a caller learns of a write, a read, a mistake."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from typing_extensions import override

from r_memory.domain.events import Batch, Episode, EpisodeStatus, EventKind, FactEvent
from r_memory.domain.facts import Entity, Fact, Route, Status
from r_memory.domain.folding import fold_all
from r_memory.errors import (
    InvalidInput,
    KeyUsed,
    NotStored,
    StoreUnavailable,
    SubjectAmbiguous,
    SubjectMismatch,
    SubjectRequired,
    SubjectTaken,
    SubjectUnknown,
    UnknownName,
    WriteConflict,
)
from r_memory.facts.remember.results import Claim
from r_memory.testing.dict_store import DictStore
from tests.unit.memory_world import ALLERGY, DENIAL, MAYBE, UNREAD, World, a_world

pytestmark = pytest.mark.anyio
DAY = 86_400_000


async def told(world: World, text: str = ALLERGY, **more: str | Sequence[str]) -> Fact:
    said = {"subject": "JD001", "subject_name": "John Doe", "speaker": "patient"} | more
    (result,) = (await world.memory.remember(text, **said)).results  # type: ignore[arg-type]  # keyword arguments
    assert result.fact is not None
    return result.fact


async def test_a_statement_becomes_a_fact_with_its_words_and_speaker() -> None:
    world = a_world()
    fact = await told(world)
    assert (fact.relation, fact.object.name, fact.status) == ("HAS_ALLERGY_TO", "Penicillin", Status.ACTIVE)
    assert (fact.evidence, fact.speaker, fact.observations) == ("allergic to penicillin", "patient", 1)
    assert (await world.memory.list_facts(subject="JD001")).facts == (fact,)


async def test_a_repeated_call_stores_nothing_twice_and_gives_the_same_fact() -> None:
    world = a_world()
    first = await told(world)
    again = await world.memory.remember(ALLERGY, subject="JD001", speaker="patient")
    assert [(result.verdict, result.fact) for result in again.results] == [("duplicate", first)]
    assert len(await world.memory.history(first.fact_id)) == 1


async def test_the_same_words_on_another_day_are_another_observation_of_one_fact() -> None:
    world = a_world()
    await told(world)
    world.clock.advance(DAY)
    assert (await told(world)).observations == 2


@pytest.mark.proves("Z36")
async def test_fifty_parallel_statements_make_one_fact_with_fifty_observations() -> None:
    world = a_world()
    await told(world, conversation_id="c0")
    await asyncio.gather(*(told(world, conversation_id=f"c{number}") for number in range(1, 50)))
    page = await world.memory.list_facts(subject="JD001")
    assert [fact.observations for fact in page.facts] == [50]
    assert (await world.memory.verify()).whole


@pytest.mark.proves("Z12", "RM-23")
async def test_a_denial_never_removes_an_earlier_risk_and_both_are_reported() -> None:
    world = a_world()
    await told(world)
    denial = await world.memory.remember(DENIAL, subject="JD001", speaker="patient")
    (result,) = denial.results
    assert result.fact is not None
    assert (result.fact.status, result.fact.contradicted) == (Status.ACTIVE, True)
    assert result.reason.startswith("the earlier statement of the risk stays")
    assert denial.conflicts == (result.fact,)


@pytest.mark.proves("RM-22")
async def test_words_that_gave_no_fact_stay_in_view_until_a_person_decides() -> None:
    world = a_world()
    heard = await world.memory.remember(UNREAD, subject="JD001", subject_name="John Doe", speaker="patient")
    assert [(result.verdict, result.text) for result in heard.results] == [("waits", UNREAD)]
    recall = await world.memory.build_context("Recommend an antibiotic.", subject="JD001")
    assert [episode.text for episode in recall.pending] == [UNREAD]


async def test_an_assistants_own_words_are_kept_and_are_never_evidence() -> None:
    world = a_world()
    heard = await world.memory.remember(ALLERGY, subject="JD001", subject_name="John Doe", role="assistant")
    assert (heard.results, heard.pending, world.extractor.heard) == ((), 0, [])
    assert await world.store.episode("clinic", heard.episode_id) is not None


async def test_the_extractor_hears_the_turns_before_of_the_same_conversation_only() -> None:
    world = a_world()
    for conversation, text in (("c1", "Any allergies?"), ("c2", "Other talk."), ("c1", "Yes.")):
        world.clock.advance(1)
        await world.memory.remember(
            text, subject="JD001", subject_name="John Doe", speaker="x", conversation_id=conversation
        )
    assert [turn.text for turn in world.extractor.heard[-1].before] == ["Any allergies?"]


async def test_a_dry_run_says_what_would_be_stored_and_stores_nothing() -> None:
    world = a_world()
    await told(world, MAYBE)
    heard = await world.memory.remember(ALLERGY, subject="JD001", dry_run=True)
    assert [result.fact.status for result in heard.results if result.fact] == [Status.ACTIVE]
    assert [fact.status for fact in (await world.memory.list_facts(subject="JD001")).facts] == [Status.UNCONFIRMED]
    assert await world.store.episode("clinic", heard.episode_id) is None


async def test_refused_claims_are_listed_with_the_reason_and_the_words_are_kept() -> None:
    world = a_world(refused=["EATS"])
    claims = [
        Claim(relation="EATS", object="fish", evidence="fish", attrs={}),
        Claim(relation="TAKES", object="warfarin", evidence="warfarin", attrs={}),
    ]
    heard = await world.memory.remember(
        "He eats fish and takes warfarin.", subject="JD001", subject_name="John Doe", claims=claims
    )
    assert [(result.verdict, result.object, result.given) for result in heard.results] == [
        ("rejected", "fish", 1),
        ("stored", "warfarin", 2),
    ]
    assert [fact.route for fact in heard.facts] == [Route.CLIENT]
    assert await world.store.episode("clinic", heard.episode_id) is not None


@pytest.mark.proves("Z10", "RM-20")
async def test_a_missing_subject_is_an_error_that_says_so() -> None:
    with pytest.raises(SubjectRequired, match="no subject was given"):
        await a_world().memory.build_context("Recommend an antibiotic.")


async def test_in_a_single_subject_installation_the_subject_may_be_left_out() -> None:
    world = a_world(single="me")
    await world.memory.remember(ALLERGY)
    assert (await world.memory.build_context("Recommend an antibiotic.")).subject.id == "me"


@pytest.mark.proves("Z10", "RM-20")
async def test_an_unknown_subject_is_never_made_by_a_typing_slip_and_near_ones_are_named() -> None:
    world = a_world()
    await told(world)
    with pytest.raises(SubjectUnknown, match=r"near ones: JD001 \(John Doe\)$"):
        await world.memory.remember(ALLERGY, subject="JD0O1")
    assert [subject.id for subject in await world.memory.subjects()] == ["JD001"]


@pytest.mark.proves("Z10", "RM-20")
async def test_two_subjects_of_one_name_are_both_shown_and_neither_is_chosen() -> None:
    world = a_world()
    await told(world)
    await told(world, subject="JD002", another_than=["JD001"])
    with pytest.raises(SubjectAmbiguous, match=r"JD001 \(John Doe\), JD002 \(John Doe\)") as caught:
        await world.memory.build_context("Recommend an antibiotic.", subject="john doe")
    assert caught.value.candidates == ("JD001", "JD002")


@pytest.mark.parametrize(
    ("id_", "name"),
    [
        ("x9", "JD001"),
        ("John Doe", "John Doe"),
        ("john  DOE", "Eve Mallory"),
        ("x9", "jd001"),
        ("Jo\u200dhn Doe", "Eve"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
async def test_nobody_new_gets_the_name_of_another_for_an_id_or_the_id_for_a_name(
    id_: str, name: str, *, dry_run: bool
) -> None:
    world = a_world()
    await told(world)
    with pytest.raises(SubjectTaken, match=r"JD001 \(John Doe\)") as caught:
        await world.memory.remember("Hello.", subject=id_, subject_name=name, another_than=["JD001"], dry_run=dry_run)
    assert (caught.value.candidates, caught.value.may_share) == (("JD001",), False)
    assert [subject.id for subject in await world.memory.subjects()] == ["JD001"]
    assert (await world.memory.build_context("Order it.", subject="John Doe")).subject.id == "JD001"


@pytest.mark.parametrize(("another_than", "missing"), [([], "JD001"), (["JD001"], "JD002"), (["P9"], "JD001")])
async def test_a_second_of_one_name_wants_a_yes_that_names_all_who_have_it(
    another_than: Sequence[str], missing: str
) -> None:
    world = a_world()
    await told(world)
    await told(world, subject="JD002", another_than=["JD001"])
    with pytest.raises(SubjectTaken, match=missing) as caught:
        await told(world, subject="JD003", subject_name="JOHN  doe", another_than=another_than)
    assert (caught.value.candidates, caught.value.may_share) == (("JD001", "JD002"), True)
    await told(world, subject="JD003", another_than=["JD002", "JD001"])
    assert [subject.id for subject in await world.memory.subjects()] == ["JD001", "JD002", "JD003"]


async def test_of_two_declared_at_once_under_one_name_only_one_is() -> None:
    world = a_world()
    results = await asyncio.gather(*(told(world, subject=f"JD{number}") for number in range(5)), return_exceptions=True)
    assert [type(result) for result in results].count(SubjectTaken) == 4
    assert len(await world.memory.subjects()) == 1


@pytest.mark.proves("Z10", "RM-20")
@pytest.mark.parametrize(
    ("id_", "name", "word"),
    [
        ("John Doe", "John Doe", "John Doe"),
        ("John Doe", "Eve Mallory", "john doe"),
        ("JOHN DOE", "Eve Mallory", "John Doe"),
        ("P9", "JD001", "JD001"),
        ("P9", "jd001", "JD001"),
    ],
)
async def test_where_an_older_store_holds_such_two_both_are_shown_and_each_can_be_reached(
    id_: str, name: str, word: str
) -> None:
    world = a_world()
    await told(world)
    other = Entity(space="clinic", type="Patient", id=id_, name=name)
    await world.store.declare_subject(other)
    candidates: tuple[str, ...] = ()
    for ask in (
        lambda: world.memory.build_context("Order it.", subject=word),
        lambda: world.memory.check_text("Penicillin.", subject=word),
        lambda: world.memory.list_facts(subject=word),
        lambda: world.memory.remember("Hello.", subject=word),
        lambda: world.memory.verify(subject=word),
    ):
        with pytest.raises(SubjectAmbiguous) as caught:
            await ask()
        candidates = caught.value.candidates
    reached = [(await world.memory.list_facts(subject=way)).subject.uid for way in candidates]
    assert sorted(reached) == sorted(["clinic/Patient/JD001", other.uid])


@pytest.mark.parametrize("name", ["علی\u200cرض", "ന്\u200dന", "Ann 👩\u200d⚕"])
async def test_names_of_every_script_are_taken(name: str) -> None:
    world = a_world()
    await told(world, subject_name=name)
    assert (await world.memory.list_facts(subject=name)).subject.name == name


@pytest.mark.parametrize("name", ["Ann\u200b Lee", "\u200dAnn", "Ann \u200cLee", "Ann\u202eLee", "Ann\x07"])
async def test_what_cannot_be_seen_and_is_no_spelling_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="control or invisible"):
        await told(a_world(), subject_name=name)


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("again", [{"text": DENIAL}, {"text": ALLERGY, "role": "assistant"}])
async def test_a_key_that_comes_back_with_other_words_is_an_error_and_not_a_duplicate(
    again: dict[str, str], *, dry_run: bool
) -> None:
    world = a_world()
    await told(world, idempotency_key="k1")
    with pytest.raises(KeyUsed, match=r"key 'k1' was used before with other words; nothing of these was stored"):
        await world.memory.remember(subject="JD001", idempotency_key="k1", dry_run=dry_run, **again)  # type: ignore[arg-type]  # keyword arguments
    assert [episode.text for episode in await world.store.episodes("clinic", "clinic/Patient/JD001")] == [ALLERGY]
    same = await world.memory.remember(ALLERGY, subject="JD001", idempotency_key="k1")
    assert [result.verdict for result in same.results] == ["duplicate"]
    await told(world, text=MAYBE, subject="P2", subject_name="Ann Lee", idempotency_key="k1")


async def test_nothing_of_a_text_is_stored_if_its_key_belongs_to_another() -> None:
    world = a_world()

    async def tell(text: str) -> int:
        said = {"subject": "JD001", "subject_name": "John Doe", "idempotency_key": "visit"}
        return len([heard async for heard in world.memory.remember_transcript(text, **said)])  # type: ignore[arg-type]

    assert await tell(f"doctor: Any?\npatient: {ALLERGY}") == 2
    with pytest.raises(KeyUsed, match="'visit'"):
        await tell(f"doctor: Any?\npatient: {MAYBE}\npatient: Well.")
    assert len(await world.store.episodes("clinic", "clinic/Patient/JD001")) == 2
    assert await tell(f"doctor: Any?\npatient: {ALLERGY}\npatient: {MAYBE}") == 3


async def test_an_id_under_another_name_is_an_error_that_names_both() -> None:
    world = a_world()
    await told(world)
    with pytest.raises(SubjectMismatch, match="'John Doe', not 'Jane Roe'"):
        await told(world, subject_name="Jane Roe")


@pytest.mark.parametrize("id_", ["a\nb", "\u202eJD001", "x" * 201])
async def test_an_id_with_hidden_characters_or_without_end_is_refused(id_: str) -> None:
    with pytest.raises(InvalidInput, match="subject"):
        await told(a_world(), subject=id_)


@pytest.mark.proves("Z10")
async def test_one_space_never_sees_anothers_subjects_or_facts() -> None:
    shared = DictStore()
    ours, theirs = a_world(store=shared), a_world(store=shared, space="other")
    fact = await told(ours)
    with pytest.raises(SubjectUnknown):
        await theirs.memory.build_context("Recommend an antibiotic.", subject="JD001")
    with pytest.raises(InvalidInput, match="no fact has the id"):
        await theirs.memory.history(fact.fact_id)


class LosingStore(DictStore):
    """Loses every race, or goes away in the middle of a write."""

    def __init__(self, error: Exception, times: int) -> None:
        super().__init__()
        self._error = error
        self._times = times

    @override
    async def append(self, batch: Batch) -> None:
        if self._times:
            self._times -= 1
            raise self._error
        await super().append(batch)


async def test_a_lost_race_is_run_again_until_it_is_won() -> None:
    world = a_world(store=LosingStore(WriteConflict("somebody else was first"), times=3))
    assert (await told(world)).status is Status.ACTIVE


@pytest.mark.proves("Z18")
@pytest.mark.parametrize("error", [WriteConflict("somebody else was first"), StoreUnavailable("gone")])
async def test_what_could_not_be_stored_is_never_called_stored_and_its_words_stay_in_view(error: Exception) -> None:
    world = a_world(store=LosingStore(error, times=100))
    with pytest.raises(NotStored, match="the words are stored"):
        await told(world)
    recall = await world.memory.build_context("Recommend an antibiotic.", subject="JD001")
    assert [episode.text for episode in recall.pending] == [ALLERGY]


@pytest.mark.proves("Z18")
async def test_a_statement_left_open_by_a_crash_is_read_at_the_next_start() -> None:
    store = LosingStore(StoreUnavailable("killed"), times=1)
    with pytest.raises(NotStored):
        await told(a_world(store=store))
    world = a_world(store=store)
    assert await world.memory.resume() == 1
    page = await world.memory.list_facts(subject="JD001")
    assert [fact.object.name for fact in page.facts] == ["Penicillin"]
    assert await world.memory.resume() == 0


class StartingStore(DictStore):
    """A start looks for open statements while words are stored whose facts are not."""

    def __init__(self) -> None:
        super().__init__()
        self.starts: list[Callable[[], Awaitable[int]]] = []
        self.read: list[int] = []

    @override
    async def append(self, batch: Batch) -> None:
        while self.starts:
            resume = self.starts.pop()
            self.read.append(await resume())
        await super().append(batch)


async def test_a_start_leaves_a_statement_to_the_call_that_brings_its_own_reading() -> None:
    store = StartingStore()
    world = a_world(store=store)
    world.clock.advance(1)
    store.starts.append(world.memory.resume)
    fact = await told(world)
    assert store.read == [0]
    assert (await world.memory.list_facts(subject="JD001")).facts == (fact,)


async def test_a_retry_after_a_crash_finishes_the_first_call() -> None:
    store = LosingStore(StoreUnavailable("killed"), times=1)
    world = a_world(store=store)
    with pytest.raises(NotStored):
        await told(world)
    fact = await told(world)
    assert len(await world.memory.history(fact.fact_id)) == 1


async def test_an_extractor_that_dies_costs_no_word() -> None:
    world = a_world()
    world.extractor.extract = None  # type: ignore[method-assign,assignment]  # calling it raises
    heard = await world.memory.remember(ALLERGY, subject="JD001", subject_name="John Doe")
    episode = await world.store.episode("clinic", heard.episode_id)
    assert episode is not None
    assert (episode.status, heard.pending) == (EpisodeStatus.FAILED, 1)


async def test_a_statement_repeated_after_a_person_refuted_it_is_heard_again() -> None:
    world = a_world()
    fact = await told(world)
    await refuted(world, fact)
    again = await told(world)
    assert (again.status, again.contradicted) == (Status.ACTIVE, True)


async def refuted(world: World, fact: Fact) -> None:
    """A person's decision, written as the review tool will write it."""
    john = (await world.memory.subjects())[0]
    chain = await world.store.chain(john.uid, [fact.fact_id])
    last = chain.events[-1]
    change = replace(
        last,
        id="change-1",
        kind=EventKind.CHANGED,
        status=Status.REFUTED,
        route=Route.PERSON,
        actor="dr-lee",
        reason="negative challenge",
        seq=chain.head.seq + 1,
        prev_hash=chain.head.hash,
    ).sealed()
    facts = fold_all((*chain.events, change))
    head = chain.head.after([change])
    await world.store.append(
        Batch(subject=john, events=(change,), facts=facts, episode=None, previous=chain.head, head=head)
    )


async def test_a_list_is_complete_and_counts_what_was_asked() -> None:
    world = a_world()
    claims = [Claim(relation="TAKES", object=f"drug {n}", evidence="drugs", attrs={}) for n in range(12)]
    await world.memory.remember("Many drugs.", subject="JD001", subject_name="John Doe", claims=claims)
    page = await world.memory.list_facts(subject="JD001", relations=["TAKES", "HAS_ALLERGY_TO"])
    assert len({fact.object.name for fact in page.facts}) == len(page.facts) == 12
    assert page.counts == {"TAKES": 12, "HAS_ALLERGY_TO": 0}


async def test_a_list_as_of_an_instant_knows_nothing_of_later() -> None:
    world = a_world()
    await told(world, MAYBE)
    then = world.clock.now()
    world.clock.advance(DAY)
    await told(world)
    page = await world.memory.list_facts(subject="JD001", as_of=then)
    assert [fact.status for fact in page.facts] == [Status.UNCONFIRMED]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"relations": ["EATS"]}, UnknownName, "unknown relation 'EATS'; use one of: DOSE_LIMIT"),
        ({"statuses": ["maybe"]}, UnknownName, "unknown status 'maybe'; use one of: active"),
    ],
)
async def test_a_wrong_filter_is_an_error_and_never_an_empty_list(
    arguments: dict[str, object], error: type[InvalidInput], message: str
) -> None:
    world = a_world()
    await told(world)
    with pytest.raises(error, match=message):
        await world.memory.list_facts(subject="JD001", **arguments)  # type: ignore[arg-type]  # keyword arguments


async def test_an_unknown_action_type_is_an_error_that_lists_the_known_ones() -> None:
    world = a_world()
    await told(world)
    with pytest.raises(UnknownName, match=r"unknown action type 'SING'; use one of: .*MED_ORDER"):
        await world.memory.build_context("Sing.", subject="JD001", intents=["SING"])


async def test_verify_finds_an_altered_event_and_a_state_that_does_not_follow() -> None:
    store = DictStore()
    world = a_world(store=store)
    fact = await told(world)
    store._events[0] = replace(store._events[0], status=Status.NEGATED)
    found = await world.memory.verify()
    assert [(difference.where, difference.problem.split(";")[0]) for difference in found.differences] == [
        ("event 1", "was altered after it was recorded"),
        (f"fact {fact.short_id}", "differs from what its events add up to"),
    ]


async def test_rebuild_makes_the_state_follow_from_the_ledger_again() -> None:
    store = DictStore()
    world = a_world(store=store)
    fact = await told(world)
    john: Entity = (await world.memory.subjects())[0]
    await store.replace_state(john, [])
    assert not (await world.memory.verify()).whole
    assert await world.memory.rebuild() == 1
    assert (await world.memory.verify()).whole
    assert (await world.memory.list_facts(subject="JD001")).facts == (fact,)


class BusyStore(DictStore):
    """Somebody writes just after the first reading of a chain."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    @override
    async def events(self, subject_uid: str) -> tuple[FactEvent, ...]:
        events = await super().events(subject_uid)
        work, self.meanwhile = self.meanwhile, None
        if work is not None:
            await work()
        return events


async def test_a_rebuild_beside_a_writer_loses_nothing_of_what_is_written_meanwhile() -> None:
    store = BusyStore()
    world = a_world(store=store)
    await told(world, MAYBE)
    store.meanwhile = lambda: told(world, ALLERGY)
    await world.memory.rebuild()
    assert [fact.status for fact in (await world.memory.list_facts(subject="JD001")).facts] == [Status.ACTIVE]


async def test_a_clock_that_runs_backwards_changes_no_order() -> None:
    world = a_world()
    await told(world, MAYBE)
    world.clock.advance(-5 * DAY)
    fact = await told(world)
    events = await world.memory.history(fact.fact_id)
    assert [event.seq for event in events] == [1, 2]
    assert events[1].recorded_at >= events[0].recorded_at
    assert (await world.memory.verify()).whole


async def test_a_clock_that_jumped_hides_nothing_from_a_list_as_of_now() -> None:
    """Once 400 days ahead, the clock dates all that comes later, and a list as of now left it out without a word."""
    world = a_world()
    right = world.clock.instant
    world.clock.instant = right + 400 * DAY
    fact = await told(world)
    world.clock.instant = right
    assert (await world.memory.list_facts(subject="JD001", as_of=right)).facts == (fact,)


async def test_a_clock_that_jumped_hides_nothing_from_a_list_as_of_the_past() -> None:
    """When a fact was recorded that is dated after now, nobody knows."""
    world = a_world()
    right = world.clock.instant
    world.clock.instant = right + 400 * DAY
    fact = await told(world)
    world.clock.instant = right + DAY
    assert (await world.memory.list_facts(subject="JD001", as_of=right)).facts == (fact,)


async def test_words_whose_storing_got_no_answer_are_not_said_to_be_lost() -> None:
    """The reply to a commit may be what was lost: the words are there, and wait."""

    class Cut(DictStore):
        @override
        async def add_episode(self, episode: Episode, **more: Any) -> tuple[Episode, ...]:
            await super().add_episode(episode, **more)
            raise StoreUnavailable("the store does not answer")

    world = a_world(store=Cut())
    with pytest.raises(NotStored, match=r"whether the words were stored is not known"):
        await world.memory.remember(ALLERGY, subject="JD001", subject_name="John Doe")
    assert [waiting.text for waiting in (await world.memory.list_facts(subject="JD001")).pending] == [ALLERGY]


async def test_facts_whose_storing_got_no_answer_may_be_stored_and_the_same_call_says_so() -> None:
    """Found by attack: "could not be stored yet" was said of facts that are stored."""

    class Cut(DictStore):
        cut = True

        @override
        async def append(self, batch: Batch) -> None:
            await super().append(batch)
            if self.cut:
                raise StoreUnavailable("the store does not answer")

    store = Cut()
    world = a_world(store=store)
    with pytest.raises(NotStored, match=r"what they say may be stored too, .* the same call with the same text"):
        await world.memory.remember(ALLERGY, subject="JD001", subject_name="John Doe")
    assert len((await world.memory.list_facts(subject="JD001")).facts) == 1
    store.cut = False
    again = await world.memory.remember(ALLERGY, subject="JD001")
    assert [fact.relation for fact in again.facts] == ["HAS_ALLERGY_TO"]
    assert len(await store.events(again.subject.uid)) == 1
