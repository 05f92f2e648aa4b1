"""Decisions of people about facts, over the oracle store: what changes, what stays, what is refused and why."""

import asyncio

import pytest
from typing_extensions import override

from r_memory.domain.changes import Change
from r_memory.domain.events import Batch, EventKind
from r_memory.domain.facts import UNMAPPED_TYPE, Extraction, Fact, Flag, ReviewItem, Route, Span, Status
from r_memory.errors import InvalidInput, NotStored, StoreUnavailable, WriteConflict
from r_memory.facts.recall.rendering import render
from r_memory.facts.remember.results import Claim
from r_memory.facts.reviewing import Changed
from r_memory.testing.dict_store import DictStore
from tests.scripted import ScriptedExtractor
from tests.unit.memory_world import ALLERGY, DENIAL, MAYBE, SCRIPT, UNREAD, World, a_world, read

pytestmark = pytest.mark.anyio
ADA, WHY = "Dr Ada", "skin test negative"
REQUEST = "Prescribe an antibiotic."
STRANGE = "I am allergic to zyloflurane."
LATER = "That zyloflurane again."
NKDA = "I have no known drug allergies."
PACEMAKER, LEADS = "I have a pacemaker.", "I have pacing leads."
LIMIT = "For me perhaps at most 3 g a day of paracetamol."
SPOKEN = {
    **SCRIPT,
    PACEMAKER: read("HAS_IMPLANTS", "pacemaker", "Device", "a pacemaker"),
    LEADS: read("HAS_IMPLANTS", "pacing lead", "Device", "pacing leads"),
    LIMIT: read(
        "DOSE_LIMIT",
        "paracetamol",
        "Drug",
        "at most 3 g a day",
        status="unconfirmed",
        attrs={"max": 3, "unit": "g", "period": "day"},
    ),
    STRANGE: read("HAS_ALLERGY_TO", "zyloflurane", "", "allergic to zyloflurane"),
    LATER: read("HAS_ALLERGY_TO", "zyloflurane", "", "zyloflurane"),
    NKDA: read("HAS_ALLERGY_TO", "any_drug", "Scope", "no known drug allergies", status="negated"),
}


def a_ward(store: DictStore | None = None) -> World:
    return a_world(store=store, extractor=ScriptedExtractor(SPOKEN))


async def told(world: World, text: str = ALLERGY, subject: str = "JD001", name: str = "John Doe") -> Fact:
    (result,) = (await world.memory.remember(text, subject=subject, subject_name=name, speaker="patient")).results
    assert result.fact is not None
    return result.fact


async def decided(
    world: World, fact: Fact, change: Change, *, version: int | None = None, to: str = "", reason: str = WHY
) -> Changed:
    return await world.memory.change_fact(fact.fact_id, change, reason=reason, actor=ADA, version=version, to=to)


async def block(world: World, subject: str = "JD001") -> str:
    return render(await world.memory.build_context(REQUEST, subject=subject))


async def statuses(world: World, subject: str = "JD001") -> dict[str, str]:
    page = await world.memory.list_facts(subject=subject, statuses=[status.value for status in Status])
    return {fact.object.name: fact.status.value for fact in page.facts}


async def is_whole(world: World) -> bool:
    before = (await world.memory.verify()).whole
    await world.memory.rebuild()
    return before and (await world.memory.verify()).whole


# --- transitions -----------------------------------------------------------------------------------------------------


@pytest.mark.proves("Z05", "Z32")
@pytest.mark.parametrize(
    ("change", "status", "words"),
    [
        (Change.REFUTE, "refuted", "REFUTED: John Doe, allergy to Penicillin"),
        (Change.RESOLVE, "resolved", "RESOLVED: John Doe, allergy to Penicillin"),
        (Change.ENTERED_IN_ERROR, "entered_in_error", ""),
    ],
)
async def test_each_way_of_ending_a_fact_keeps_its_own_status_author_and_reason(
    change: Change, status: str, words: str
) -> None:
    world = a_ward()
    fact = await told(world)
    done = await decided(world, fact, change)
    shown = await block(world)
    assert (done.outcome, done.before.status.value, done.after.status.value) == ("changed", "active", status)
    assert "CRITICAL ALLERGY" not in shown
    assert (words in shown) if words else ("Penicillin" not in shown)
    assert (f'{words}, by Dr Ada on 2026-11-21: "skin test negative"' in shown) == bool(words)
    history = await world.memory.history(fact.fact_id)
    assert [(event.kind, event.status.value, event.actor, event.reason) for event in history] == [
        (EventKind.OBSERVED, "active", "", ""),
        (EventKind.CHANGED, status, ADA, WHY),
    ]
    assert history[1].route is Route.PERSON
    assert done.event_id == history[1].id
    assert await is_whole(world)


@pytest.mark.proves("Z32")
async def test_only_an_error_leaves_the_default_list_and_nothing_leaves_the_history() -> None:
    world = a_ward()
    fact = await told(world)
    await decided(world, fact, Change.REFUTE)
    await decided(world, fact, Change.RESOLVE)
    listed = (await world.memory.list_facts(subject="JD001")).facts
    await decided(world, fact, Change.ENTERED_IN_ERROR)
    hidden = (await world.memory.list_facts(subject="JD001")).facts
    back = await decided(world, fact, Change.REINSTATE)
    assert ([found.status for found in listed], hidden) == ([Status.RESOLVED], ())
    assert back.after.status is Status.ACTIVE
    assert "CRITICAL ALLERGY: John Doe is allergic to Penicillin" in await block(world)
    assert [event.status.value for event in await world.memory.history(fact.fact_id)] == [
        "active",
        "refuted",
        "resolved",
        "entered_in_error",
        "active",
    ]


async def test_a_doubt_that_a_person_confirms_becomes_active() -> None:
    world = a_ward()
    fact = await told(world, MAYBE)
    done = await decided(world, fact, Change.CONFIRM)
    assert (fact.status, done.after.status) == (Status.UNCONFIRMED, Status.ACTIVE)
    assert done.after.evidence == "allergic to penicillin"


async def test_what_was_doubted_before_is_doubted_again_when_it_is_reinstated() -> None:
    world = a_ward()
    fact = await told(world, MAYBE)
    await decided(world, fact, Change.REFUTE)
    assert (await decided(world, fact, Change.REINSTATE)).after.status is Status.UNCONFIRMED


@pytest.mark.proves("Z12")
async def test_a_conflict_is_settled_by_a_person_only() -> None:
    world = a_ward()
    await told(world)
    disputed = await told(world, DENIAL)
    assert (disputed.status, disputed.contradicted) == (Status.ACTIVE, True)
    done = await decided(world, disputed, Change.SETTLE_CONFLICT)
    assert (done.after.status, done.after.contradicted) == (Status.ACTIVE, False)
    assert "CONFLICT" not in await block(world)


@pytest.mark.proves("Z12", "Z32")
async def test_a_refuted_risk_that_is_stated_again_is_back_with_both_sides() -> None:
    world = a_ward()
    fact = await told(world)
    await decided(world, fact, Change.REFUTE)
    again = await told(world)
    shown = await block(world)
    assert (again.status, again.contradicted) == (Status.ACTIVE, True)
    assert "CRITICAL ALLERGY: John Doe is allergic to Penicillin" in shown
    assert 'CONTRADICTED, 2026-11-21 by Dr Ada: "skin test negative" · refuted' in shown


@pytest.mark.proves("Z13")
async def test_a_none_that_was_recorded_in_error_clears_nothing_and_can_be_taken_back() -> None:
    world = a_ward()
    await told(world)
    none = await told(world, NKDA)
    with pytest.raises(InvalidInput, match="'refute' is not allowed for a fact that is negated"):
        await decided(world, none, Change.REFUTE)
    await decided(world, none, Change.ENTERED_IN_ERROR)
    assert "CRITICAL ALLERGY" in await block(world)
    assert (await decided(world, none, Change.REINSTATE)).after.status is Status.NEGATED
    assert "CRITICAL ALLERGY" in await block(world)


@pytest.mark.proves("Z33")
async def test_what_is_gone_is_the_one_thing_that_was_decided_about() -> None:
    world = a_ward()
    device, lead = await told(world, PACEMAKER), await told(world, LEADS)
    await decided(world, device, Change.RESOLVE)
    assert await statuses(world) == {"Pacemaker": "resolved", "Pacing lead": "active"}
    assert (await world.memory.find_fact(lead.fact_id))[1] == lead


@pytest.mark.proves("Z31")
async def test_a_decision_about_a_limit_keeps_its_number_its_unit_and_its_words() -> None:
    world = a_ward()
    limit = await told(world, LIMIT)
    done = await decided(world, limit, Change.CONFIRM)
    assert (done.after.status, done.after.attrs, done.after.evidence) == (
        Status.ACTIVE,
        {"max": 3, "unit": "g", "period": "day"},
        "at most 3 g a day",
    )


@pytest.mark.parametrize(
    ("change", "after"),
    [(Change.CONFIRM, Change.REFUTE), (Change.RESOLVE, Change.ENTERED_IN_ERROR)],
)
async def test_a_change_that_the_status_does_not_allow_is_refused_with_those_that_are(
    change: Change, after: Change
) -> None:
    world = a_ward()
    fact = await told(world)
    await decided(world, fact, after)
    with pytest.raises(InvalidInput, match=f"'{change}' is not allowed for a fact that is .*; allowed: .*reinstate"):
        await decided(world, fact, change)


async def test_a_fact_that_moved_on_is_not_changed_and_the_present_version_is_told() -> None:
    world = a_ward()
    fact = await told(world)
    await told(world, DENIAL)
    with pytest.raises(InvalidInput, match=r"its version is 2 \(status active, contradicted\), not 1"):
        await decided(world, fact, Change.REFUTE, version=fact.last_seq)


async def test_the_same_decision_twice_is_recorded_once() -> None:
    world = a_ward()
    fact = await told(world)
    outcomes = [await decided(world, fact, Change.REFUTE, version=fact.last_seq) for _ in range(2)]
    assert [done.outcome for done in outcomes] == ["changed", "already"]
    assert len(await world.memory.history(fact.fact_id)) == 2


@pytest.mark.proves("Z36")
async def test_two_people_who_decide_at_once_leave_one_decision() -> None:
    world = a_ward()
    fact = await told(world)
    outcomes = await asyncio.gather(*(decided(world, fact, Change.REFUTE, version=fact.last_seq) for _ in range(4)))
    assert sorted(done.outcome for done in outcomes) == ["already", "already", "already", "changed"]


@pytest.mark.parametrize(
    ("reason", "actor", "told_"),
    [("no", ADA, "the reason must have 3 to 500"), ("x" * 501, ADA, "the reason must"), (WHY, " ", "the actor must")],
)
async def test_a_decision_needs_somebody_and_a_reason(reason: str, actor: str, told_: str) -> None:
    world = a_ward()
    fact = await told(world)
    with pytest.raises(InvalidInput, match=told_):
        await world.memory.change_fact(fact.fact_id, Change.REFUTE, reason=reason, actor=actor)


async def test_a_program_may_not_decide_about_a_critical_fact() -> None:
    world = a_ward()
    fact = await told(world)
    with pytest.raises(InvalidInput, match="by a person only"):
        await world.memory.change_fact(fact.fact_id, Change.REFUTE, reason=WHY, actor="bot", by_person=False)


async def test_to_let_a_fact_stand_beside_what_does_not_go_together_changes_nothing_else() -> None:
    world = a_ward()
    fact = await told(world)
    with pytest.raises(InvalidInput, match="by a person only"):
        await world.memory.change_fact(fact.fact_id, Change.ACCEPT, reason=WHY, actor="bot", by_person=False)
    done = await decided(world, fact, Change.ACCEPT)
    again = await decided(world, fact, Change.ACCEPT, version=fact.last_seq)
    assert (done.outcome, again.outcome, done.after.status) == ("changed", "already", fact.status)
    assert (done.after.changed_by, done.after.changed_because) == (ADA, WHY)


async def test_going_against_a_fact_is_shown_with_it_and_changes_nothing_of_how_it_stands() -> None:
    """Issue 28, point 8: an override is an event, it closes nothing, and what was disputed stays disputed."""
    world = a_ward()
    fact = await told(world)
    with pytest.raises(InvalidInput, match="by a person only"):
        await world.memory.change_fact(fact.fact_id, Change.OVERRIDE, reason=WHY, actor="bot", by_person=False)
    with pytest.raises(InvalidInput, match="say why"):
        await decided(world, fact, Change.OVERRIDE, reason=" ")
    done = await decided(world, fact, Change.OVERRIDE, reason="tolerated since")
    again = await decided(world, fact, Change.OVERRIDE, reason="tolerated since", version=fact.last_seq)
    assert (done.outcome, again.outcome) == ("changed", "already")
    assert (done.after.status, done.after.changed_by, done.after.contradicted) == (fact.status, "", fact.contradicted)
    shown = await block(world)
    assert "went against on 2026-11-21 by" in shown
    assert '"tolerated since"' in shown
    assert "bears on this request" in shown


async def test_going_against_a_disputed_fact_leaves_it_disputed() -> None:
    world = a_ward()
    fact = await told(world)
    await world.memory.remember("Not allergic to penicillin.", subject="JD001", role="user")
    [disputed] = [
        item for item in (await world.memory.list_facts(subject="JD001")).facts if item.fact_id == fact.fact_id
    ]
    done = await decided(world, disputed, Change.OVERRIDE, reason="tolerated since")
    assert done.after.contradicted == disputed.contradicted
    assert done.after.status is disputed.status


async def test_facts_of_another_space_cannot_be_changed() -> None:
    store = DictStore()
    world = a_ward(store)
    fact = await told(world)
    with pytest.raises(InvalidInput, match="no fact has the id"):
        await decided(a_world(store=store, space="elsewhere"), fact, Change.REFUTE)


# --- requests --------------------------------------------------------------------------------------------------------


async def test_a_requested_change_changes_nothing_and_stays_in_view_until_a_person_approves_it() -> None:
    world = a_ward()
    fact = await told(world)
    asked = await world.memory.request_change(fact.fact_id, Change.REFUTE, reason=WHY, actor="assistant 1")
    shown = await block(world)
    [item] = (await world.memory.review(subject="JD001")).items
    assert (asked.outcome, asked.after.status, item.why, item.critical) == (
        "requested",
        Status.ACTIVE,
        ("request",),
        True,
    )
    assert "CRITICAL ALLERGY: John Doe is allergic to Penicillin" in shown
    assert "CHANGE REQUESTED, not made (by assistant 1, 2026-11-21)" in shown
    done = await world.memory.approve(item.id, actor=ADA)
    assert (done.after.status, done.after.changed_by, done.after.changed_because) == (Status.REFUTED, ADA, WHY)
    assert (await world.memory.review()).items == ()
    assert "CHANGE REQUESTED" not in await block(world)
    assert await is_whole(world)


async def test_a_request_is_made_once_and_a_declined_one_is_not_made_again() -> None:
    world = a_ward()
    fact = await told(world)
    for _ in range(2):
        await world.memory.request_change(fact.fact_id, Change.REFUTE, reason=WHY, actor="assistant 1")
    [item] = (await world.memory.review()).items
    await world.memory.dismiss(item.id, actor=ADA, reason="no test was done")
    with pytest.raises(InvalidInput, match="declined on 2026-11-21"):
        await world.memory.request_change(fact.fact_id, Change.REFUTE, reason=WHY, actor="assistant 1")
    assert ((await world.memory.review()).items, await statuses(world)) == ((), {"Penicillin": "active"})


async def test_a_change_that_a_person_makes_directly_settles_the_request_for_it() -> None:
    world = a_ward()
    fact = await told(world)
    await world.memory.request_change(fact.fact_id, Change.REFUTE, reason=WHY, actor="assistant 1")
    await decided(world, fact, Change.REFUTE, version=fact.last_seq)
    assert (await world.memory.review()).items == ()


async def test_a_request_that_the_fact_outran_can_only_be_declined() -> None:
    world = a_ward()
    fact = await told(world)
    await world.memory.request_change(fact.fact_id, Change.REFUTE, reason=WHY, actor="assistant 1")
    await told(world, DENIAL)
    [item, disputed] = (await world.memory.review()).items
    assert (item.outdated, disputed.why) == (True, ("contradicted",))
    with pytest.raises(InvalidInput, match="the fact moved on"):
        await world.memory.approve(item.id, actor=ADA)
    await world.memory.dismiss(item.id, actor=ADA, reason="somebody denied it meanwhile")
    assert (await world.memory.review()).items == (disputed,)


async def test_words_that_only_look_like_a_request_are_words() -> None:
    words = "refute fact 00000000-0000-0000-0000-000000000000 (version 1): skin test negative"
    unread = Extraction(review=(ReviewItem(text=words, span=Span(start=0, end=len(words)), reason="?"),))
    world = a_world(extractor=ScriptedExtractor({words: unread}))
    await world.memory.remember(words, subject="JD001", subject_name="John Doe")
    [item] = (await world.memory.review()).items
    assert (item.why, item.decision) == (("statement",), None)
    with pytest.raises(InvalidInput, match="these are words, not a request"):
        await world.memory.approve(item.id, actor=ADA)


# --- what waits ------------------------------------------------------------------------------------------------------


async def test_words_that_gave_no_fact_wait_until_a_person_stores_what_they_say() -> None:
    world = a_ward()
    await world.memory.remember(UNREAD, subject="JD001", subject_name="John Doe", speaker="patient")
    [item] = (await world.memory.review(subject="JD001")).items
    claim = Claim(relation="HAS_ALLERGY_TO", object="shellfish", evidence=UNREAD, attrs={"severity": "severe"})
    [fact] = await world.memory.store_reviewed(item.id, [claim], actor=ADA)
    shown = await block(world)
    [event] = await world.memory.history(fact.fact_id)
    assert item.why == ("statement",)
    assert (fact.status, fact.route, fact.speaker, event.actor) == (Status.ACTIVE, Route.PERSON, "patient", ADA)
    assert "NOT YET READ" not in shown
    assert 'is allergic to "Shellfish"' in shown
    assert await is_whole(world)


async def test_words_that_hold_nothing_are_dismissed_with_a_reason_that_is_kept() -> None:
    world = a_ward()
    remembered = await world.memory.remember(UNREAD, subject="JD001", subject_name="John Doe")
    await world.memory.dismiss(remembered.episode_id, actor=ADA, reason="a dish, not a reaction")
    episode = await world.store.episode("clinic", remembered.episode_id)
    assert episode is not None
    assert (episode.settled_by, episode.settled_because, episode.text) == (ADA, "a dish, not a reaction", UNREAD)
    assert "NOT YET READ" not in await block(world)
    with pytest.raises(InvalidInput, match="somebody has decided it meanwhile"):
        await world.memory.dismiss(remembered.episode_id, actor=ADA, reason="again")


async def test_a_refused_claim_leaves_the_words_where_they_are() -> None:
    world = a_world(refused=("LIKES",))
    remembered = await world.memory.remember(UNREAD, subject="JD001", subject_name="John Doe")
    good = Claim(relation="HAS_ALLERGY_TO", object="shellfish", evidence=UNREAD, attrs={})
    bad = Claim(relation="LIKES", object="shellfish", evidence=UNREAD, attrs={})
    with pytest.raises(InvalidInput, match="nothing was stored: refused by the script"):
        await world.memory.store_reviewed(remembered.episode_id, [good, bad], actor=ADA)
    assert "NOT YET READ" in await block(world)
    assert await statuses(world) == {}


async def test_the_list_holds_what_is_doubted_denied_or_unknown_and_not_what_is_plain() -> None:
    world = a_ward()
    await told(world, MAYBE)
    await told(world, DENIAL)
    await told(world, STRANGE)
    await told(world, ALLERGY, "JD002", "Jane Roe")
    items = (await world.memory.review()).items
    assert [(item.subject.id, item.fact and item.fact.object.name, item.why) for item in items] == [
        ("JD001", "Penicillin", ("contradicted", "unconfirmed")),
        ("JD001", "Zyloflurane", ("unmapped",)),
    ]


# --- another subject -------------------------------------------------------------------------------------------------


async def test_a_fact_of_the_wrong_subject_moves_with_its_words_and_leaves_its_trace() -> None:
    world = a_ward()
    fact = await told(world)
    await told(world, STRANGE, "JD002", "Jane Roe")
    done = await decided(world, fact, Change.REATTRIBUTE, to="Jane Roe")
    there = done.elsewhere
    assert there is not None
    assert (done.after.status, await statuses(world)) == (
        Status.ENTERED_IN_ERROR,
        {"Penicillin": "entered_in_error"},
    )
    assert (there.status, there.evidence, there.said_at, there.episode_id, there.flags) == (
        fact.status,
        fact.evidence,
        fact.said_at,
        fact.episode_id,
        frozenset({Flag.REATTRIBUTED}),
    )
    assert "Jane Roe is allergic to Penicillin" in await block(world, "JD002")
    assert "Penicillin" not in await block(world)
    assert (await world.memory.review()).items[0].why == ("unmapped",)
    assert await is_whole(world)


async def test_moving_a_fact_to_where_it_is_or_to_nobody_is_refused() -> None:
    world = a_ward()
    fact = await told(world)
    for to, told_ in (
        ("JD001", "is about 'JD001' already"),
        ("nobody", "no Patient has the id or name"),
        ("", "needs"),
    ):
        with pytest.raises(InvalidInput, match=told_):
            await decided(world, fact, Change.REATTRIBUTE, to=to)


class FailsAtWrite(DictStore):
    """Loses its connection at one of its writes to the ledger, as a killed process does."""

    fails_at = -1

    @override
    async def append(self, batch: Batch) -> None:
        self.fails_at -= 1
        if self.fails_at == -1:
            raise StoreUnavailable("the store went away; start it")
        await super().append(batch)


@pytest.mark.proves("Z18")
@pytest.mark.parametrize("write", [0, 1])
async def test_a_crash_while_a_fact_moves_loses_nothing_and_the_move_can_be_finished(write: int) -> None:
    store = FailsAtWrite()
    world = a_ward(store)
    fact = await told(world)
    await told(world, STRANGE, "JD002", "Jane Roe")
    store.fails_at = write
    with pytest.raises(StoreUnavailable):
        await decided(world, fact, Change.REATTRIBUTE, to="JD002")
    assert "John Doe is allergic to Penicillin" in await block(world)
    assert ("Jane Roe is allergic to Penicillin" in await block(world, "JD002")) == (write == 1)
    assert (await world.memory.verify()).whole
    [unfinished] = [item for item in (await world.memory.review()).items if item.decision is not None]
    done = await world.memory.approve(unfinished.id, actor=ADA)
    assert (done.outcome, done.after.status) == ("changed", Status.ENTERED_IN_ERROR)
    assert done.elsewhere is not None
    assert (done.elsewhere.status, done.elsewhere.observations) == (Status.ACTIVE, 1)
    assert [item.why for item in (await world.memory.review()).items] == [("unmapped",)]
    assert await is_whole(world)


# --- unknown words ---------------------------------------------------------------------------------------------------


async def test_a_mapped_word_is_one_risk_under_its_term_and_later_statements_link() -> None:
    world = a_ward()
    fact = await told(world, STRANGE)
    done = await decided(world, fact, Change.MAP_WORD, to="amoxicillin")
    shown = await block(world)
    assert fact.object.type == UNMAPPED_TYPE
    assert shown.count("is allergic to") == 1
    assert "John Doe is allergic to Amoxicillin" in shown
    assert done.elsewhere is not None
    assert (done.elsewhere.evidence, done.elsewhere.flags) == ("allergic to zyloflurane", frozenset())
    again = await told(world, LATER)
    assert (again.object.name, again.observations) == ("Amoxicillin", 2)
    assert await statuses(world) == {"Amoxicillin": "active", "Zyloflurane": "entered_in_error"}
    assert await is_whole(world)


async def test_a_mapping_that_is_taken_back_leaves_both_and_links_no_longer() -> None:
    world = a_ward()
    fact = await told(world, STRANGE)
    await decided(world, fact, Change.MAP_WORD, to="amoxicillin")
    await decided(world, fact, Change.REINSTATE)
    again = await told(world, LATER)
    assert again.object.name == "Zyloflurane"
    assert await statuses(world) == {"Amoxicillin": "active", "Zyloflurane": "active"}


async def test_only_an_unknown_word_can_be_mapped_and_only_to_a_known_term() -> None:
    world = a_ward()
    known, strange = await told(world), await told(world, STRANGE)
    with pytest.raises(InvalidInput, match=r"no .* of the lexicon is named so"):
        await decided(world, strange, Change.MAP_WORD, to="zyloflurine")
    with pytest.raises(InvalidInput, match="'map_word' is not allowed for a fact that is active"):
        await decided(world, known, Change.MAP_WORD, to="amoxicillin")


class FirstConflicts(DictStore):
    """Another writer is faster the first time."""

    rival: World | None = None

    @override
    async def append(self, batch: Batch) -> None:
        if self.rival is not None and any(event.kind is EventKind.CHANGED for event in batch.events):
            rival, self.rival = self.rival, None
            await told(rival, STRANGE)
            raise WriteConflict("another was faster")
        await super().append(batch)


async def test_a_decision_is_made_though_another_writer_was_faster() -> None:
    store = FirstConflicts()
    world = a_ward(store)
    fact = await told(world)
    store.rival = world
    assert (await decided(world, fact, Change.REFUTE, version=fact.last_seq)).after.status is Status.REFUTED
    assert await statuses(world) == {"Penicillin": "refuted", "Zyloflurane": "active"}


async def test_a_decision_that_is_given_up_says_that_it_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody said any words that would stay in view instead."""
    world = a_ward()
    fact = await told(world)

    async def append(_: Batch) -> None:
        raise WriteConflict("another was faster")

    async def at_once(_: float) -> None:
        """No waiting."""

    monkeypatch.setattr(world.store, "append", append)
    monkeypatch.setattr("r_memory.facts.ledger.asyncio.sleep", at_once)
    with pytest.raises(NotStored, match="this is not recorded, try again with the same"):
        await decided(world, fact, Change.REFUTE)
