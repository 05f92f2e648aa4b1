"""The keeper covers each turn once, serialised and versioned, and a bad writer costs nothing but time."""

import asyncio
from collections.abc import Mapping
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from r_memory.domain.summaries import ACCUMULATED, BINDING, ConversationSummary, KeptSummary
from r_memory.errors import BadReply, InvalidInput, ModelUnavailable, WriteConflict
from r_memory.testing.dict_stream import DictConversations, DictStream
from r_memory_talk.summary.keeper import KEEP
from r_memory_talk.summary.rendering import section
from tests.unit.talk.summary.world import Office, ScriptedWriter

pytestmark = pytest.mark.anyio
DOWN = ModelUnavailable("the model could not be reached; check its server")
GONE = "the model could not be reached; check its server"


class SlowWriter:
    """Proposes nothing before it is let go."""

    name = "slow/1"

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go = asyncio.Event()

    async def propose(self, old: ConversationSummary, question: str, answer: str) -> Mapping[str, object]:
        self.asked.set()
        await self.go.wait()
        return {"key_data": [f"{question} ({len(old.key_data)} known, {len(answer)})"]}


@pytest.mark.proves("CIM-4", "CIM-8")
async def test_after_each_answer_the_summary_is_rewritten_and_each_change_is_a_version() -> None:
    writer = ScriptedWriter({"key_data": ["2 000 invoices"]}, {"core_discussion": "hosting"})
    office = Office(writer)
    first = await office.told("We send 2 000 invoices.")
    second = await office.told("Where should it run?")
    assert first.kept is not None
    assert second.kept is not None
    assert (first.kept.version, first.kept.upto, first.kept.made_by) == (1, 1, "scripted/1")
    assert (second.kept.version, second.kept.upto, second.trouble) == (2, 2, "")
    assert second.kept.content.key_data == ("2 000 invoices",)
    assert [kept.version for kept in await office.keeper.versions("c")] == [2, 1]
    assert [question for _, question, _ in writer.asked] == ["We send 2 000 invoices.", "Where should it run?"]
    assert writer.asked[1][0] == first.kept.content


@pytest.mark.proves("CIM-5")
async def test_the_next_turn_waits_for_the_summary_of_the_last_one() -> None:
    writer = SlowWriter()
    office = Office(writer)
    update = asyncio.create_task(office.told("We send 2 000 invoices."))
    await writer.asked.wait()
    reading = asyncio.create_task(office.keeper.current("c"))
    elsewhere = await office.keeper.current("another conversation")
    assert not reading.done()
    writer.go.set()
    kept = await reading
    assert (await update).kept == kept
    assert kept is not None
    assert kept.upto == 1
    assert elsewhere is None


async def test_a_reader_does_not_wait_for_ever_and_the_version_tells_what_it_covers() -> None:
    writer = SlowWriter()
    office = Office(writer, wait_s=0.0)
    update = asyncio.create_task(office.told("We send 2 000 invoices."))
    await writer.asked.wait()
    assert await office.keeper.current("c") is None
    writer.go.set()
    assert (await update).trouble == ""


async def test_two_turns_at_once_are_covered_one_after_the_other() -> None:
    office = Office(ScriptedWriter(lambda question: {"key_data": [question]}))
    items = [await office.said(f"fact {number}") for number in range(5)]
    done = await asyncio.gather(*(office.keeper.update(item) for item in reversed(items)))
    assert set(done) == {""}
    content = await office.content()
    assert content.key_data == tuple(f"fact {number}" for number in range(5))
    assert [kept.upto for kept in await office.keeper.versions("c")] == [5, 4, 3, 2, 1]


async def test_a_turn_that_is_covered_already_changes_nothing() -> None:
    writer = ScriptedWriter({"key_data": ["one"]})
    office = Office(writer)
    item = await office.said("first")
    assert await office.keeper.update(item) == ""
    once = await office.keeper.current("c")
    assert await office.keeper.update(item) == ""
    assert await office.keeper.current("c") == once
    assert len(writer.asked) == 1


async def test_two_servers_that_update_at_once_lose_nothing() -> None:
    office = Office(ScriptedWriter(lambda question: {"key_data": [question]}))
    other = office.another_keeper(ScriptedWriter(lambda question: {"key_data": [question]}))
    items = [await office.said(f"fact {number}") for number in range(8)]
    await asyncio.gather(
        *((office.keeper if item.index % 2 else other).update(item) for item in items),
    )
    content = await office.content()
    assert set(content.key_data) == {f"fact {number}" for number in range(8)}
    versions = [kept.version for kept in await office.keeper.versions("c")]
    assert versions == sorted(versions, reverse=True)
    assert len(set(versions)) == len(versions)


@pytest.mark.proves("CIM-10")
@pytest.mark.parametrize("failure", [DOWN, {"answer": "I cannot"}, {"core_discussion": None}, BadReply("no object")])
async def test_a_failing_or_nonsensical_writer_leaves_the_old_summary_and_the_next_update_covers_the_turn(
    failure: Exception | Mapping[str, object],
) -> None:
    office = Office(ScriptedWriter({"key_data": ["one"]}, failure, {"key_data": ["two"]}, {"key_data": ["three"]}))
    first = await office.told("first")
    missed = await office.told("second")
    assert missed.kept == first.kept
    assert missed.trouble
    caught_up = await office.told("third")
    assert caught_up.kept is not None
    assert (caught_up.kept.upto, caught_up.trouble) == (3, "")
    assert caught_up.kept.content.key_data == ("one", "two", "three")


async def test_a_first_turn_without_a_summary_is_told_and_made_good_later() -> None:
    office = Office(ScriptedWriter(DOWN, {"key_data": ["one"]}))
    assert (await office.told("first")).kept is None
    after = await office.told("second")
    assert after.kept is not None
    assert after.kept.upto == 2


async def test_a_turn_that_no_model_can_read_is_read_by_the_fallback_and_holds_nobody_up() -> None:
    office = Office(ScriptedWriter(lambda question: {} if "poison" not in question else {"x": 1}))
    assert (await office.told("The poison tank holds 40 litres.")).trouble
    after = await office.told("And the pump is green.")
    assert after.trouble == ""
    versions = await office.keeper.versions("c")
    assert [(kept.upto, kept.made_by, kept.flags) for kept in versions] == [
        (2, "scripted/1", ()),
        (1, "local/2", ("unreadable", "fallback")),
    ]
    assert after.kept is not None
    assert after.kept.content.key_data == ("The poison tank holds 40 litres.",)


async def test_a_model_that_was_away_for_long_is_caught_up_with_in_pieces() -> None:
    office = Office(ScriptedWriter(lambda question: {"key_data": [question]}))
    for number in range(39):
        await office.said(f"fact {number}")
    first = await office.told("fact 39")
    assert first.kept is not None
    assert first.kept.upto == 16
    assert "next ones" in first.trouble
    await office.told("fact 40")
    third = await office.told("fact 41")
    assert third.kept is not None
    assert (third.kept.upto, third.trouble) == (42, "")


async def test_what_was_wrong_with_a_reply_is_kept_with_the_version() -> None:
    office = Office(ScriptedWriter({"key_data": ["one"], "flags": ["repaired", "made up", "missing_fields"]}))
    kept = (await office.told("first")).kept
    assert kept is not None
    assert kept.flags == ("repaired", "missing_fields")


class Contended(DictConversations):
    """Somebody else is first, as often as prepared."""

    def __init__(self, stream: DictStream, times: int) -> None:
        super().__init__(stream)
        self.times = times

    @override
    async def add_summary(self, summary: KeptSummary) -> None:
        if self.times:
            self.times -= 1
            raise WriteConflict("the conversation has this version of its summary already; read it and try again")
        await super().add_summary(summary)


@pytest.mark.parametrize(("times", "covered"), [(1, True), (4, True), (5, False)])
async def test_whoever_is_second_reads_again_and_gives_up_after_a_few_attempts(times: int, *, covered: bool) -> None:
    office = Office(ScriptedWriter({"key_data": ["one"]}), store=Contended(DictStream(), times))
    done = await office.told("first")
    assert (done.kept is not None, not done.trouble) == (covered, covered)


@pytest.mark.proves("T-16")
async def test_an_exclusion_is_lifted_by_an_explicit_call_which_is_a_version_with_its_actor() -> None:
    office = Office()
    await office.told("No MongoDB, please.")
    made = await office.keeper.lift("c", "mongodb", actor="anna")
    assert made.content.excluded_options == ()
    assert (made.version, made.made_by, made.flags, made.upto) == (2, "anna", ("lifted",), 1)
    assert await office.keeper.current("c") == made
    with pytest.raises(InvalidInput, match="no excluded option"):
        await office.keeper.lift("c", "mongodb", actor="anna")
    with pytest.raises(InvalidInput, match="no excluded option"):
        await office.keeper.lift("unheard of", "mongodb", actor="anna")


async def test_lifting_gives_up_when_others_keep_changing_the_summary() -> None:
    store = Contended(DictStream(), 0)
    office = Office(store=store)
    await office.told("No MongoDB, please.")
    store.times = 5
    with pytest.raises(WriteConflict, match="try again"):
        await office.keeper.lift("c", "MongoDB", actor="anna")


async def test_a_model_that_repeats_an_exclusion_cannot_bring_back_what_was_just_raised_again() -> None:
    office = Office(ScriptedWriter({"excluded_options": ["MongoDB: no joins"]}))
    await office.told("Please avoid MongoDB, it has no joins.")
    after = (await office.told("Actually, let's look at MongoDB again.")).kept
    assert after is not None
    assert (after.content.excluded_options, after.flags) == ((), ("lifted",))


async def test_what_a_person_turns_down_is_excluded_even_if_the_model_overlooks_it() -> None:
    office = Office(ScriptedWriter({}))
    await office.told("Please avoid MongoDB, it has no joins.")
    assert (await office.content()).excluded_options == ("MongoDB: it has no joins",)


async def test_after_a_rollback_the_erased_turns_are_forgotten_and_their_numbers_are_covered_anew() -> None:
    office = Office(ScriptedWriter(lambda question: {"key_data": [question]}))
    for number in range(4):
        await office.told(f"fact {number}")
    await office.keeper.forget("c", after=2)
    office.items = office.items[:2]
    kept = await office.keeper.current("c")
    assert kept is not None
    assert (kept.upto, kept.content.key_data) == (2, ("fact 0", "fact 1"))


async def test_a_summary_of_turns_that_were_erased_meanwhile_gives_way() -> None:
    """Another server rolls back between this one's reading and writing: the version stands above the last turn."""
    office = Office(ScriptedWriter(lambda question: {"key_data": [question]}))
    for number in range(4):
        await office.told(f"fact {number}")
    erased = [item.id for item in office.items[1:]]
    await office.stream.remove_memories("office", office.items[0].conversation_uid, erased, turns=4, left=1)
    office.items = office.items[:1]
    after = (await office.told("fact anew")).kept
    assert after is not None
    assert (after.upto, after.content.key_data) == (2, ("fact 0", "fact anew"))


async def test_only_stored_turns_of_the_own_space_are_covered() -> None:
    office = Office()
    item = await office.said("first")
    elsewhere = type(item)(
        id="x", space="elsewhere", conversation="c", index=1, observation="hm", created_at=1, accessed_at=1
    )
    unnumbered = type(item)(id="x", space="office", conversation="c", observation="hm", created_at=1, accessed_at=1)
    for wrong in (elsewhere, unnumbered):
        with pytest.raises(InvalidInput, match="turns of its own space"):
            await office.keeper.update(wrong)


async def test_in_a_very_long_conversation_old_entries_are_archived_by_a_version_of_its_own() -> None:
    office = Office(
        ScriptedWriter(lambda question: {"key_data": [question], "constraints": [f"must {question}"]}),
    )
    for number in range(KEEP + 3):
        await office.told(f"fact {number}")
    versions = await office.keeper.versions("c")
    newest = versions[0]
    assert (newest.made_by, newest.flags) == ("archive", ("archived",))
    assert newest.content.key_data[0] == "fact 3"
    assert len(newest.content.constraints) == BINDING
    ever = {entry for kept in versions for entry in kept.content.key_data}
    assert ever == {f"fact {number}" for number in range(KEEP + 3)}


nonsense = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from([*ACCUMULATED, "core_discussion", "current_conclusion", "pending_questions", "flags", "other"])
hostile = st.dictionaries(fields, nonsense | st.just("x" * 5_000), max_size=9)


@pytest.mark.proves("CIM-11")
@settings(max_examples=50)
@given(st.lists(hostile, min_size=1, max_size=6))
def test_whatever_a_model_replies_no_version_lacks_what_an_earlier_one_had(replies: list[dict[str, object]]) -> None:
    """Not JSON, fields missing, texts for lists, nulls, nested, huge: no law of the summary gives way."""

    async def conversation() -> None:
        office = Office(ScriptedWriter({"key_data": ["kept for good"], "constraints": ["at most 500"]}, *replies))
        for number in range(len(replies) + 1):
            await office.told(f"turn {number}")
        versions = (await office.keeper.versions("c"))[::-1]
        assert [kept.version for kept in versions] == list(range(1, len(versions) + 1))
        archivable = ("confirmed_needs", "key_data", "current_conclusion", "pending_discussion")
        for before, after in pairwise(versions):
            for name in (*ACCUMULATED, *archivable):
                assert set(getattr(before.content, name)) <= set(getattr(after.content, name))
        assert len(section(versions[-1].content)) < 12_000

    asyncio.run(conversation())


@pytest.mark.parametrize("words", ["That didn't work.", "It still hurts.", "I tried the cream, but it did not help."])
async def test_what_did_not_help_is_left_to_a_model(words: str) -> None:
    """Of 29 exclusions that rules drew of failures in real dialogues, seven were of something tried."""
    office = Office()
    await office.told("The printer does nothing.", "Try reinstalling the driver. It takes a minute.")
    await office.told(words)
    assert (await office.content()).excluded_options == ()


async def test_limits_end_when_the_person_ends_them_or_gives_another_figure() -> None:
    """Issue 33.10: constraints never left the prompt."""
    office = Office()
    for said in (
        "The budget is at most 900 euros.",
        "It must be online by Friday.",
        "The budget is at most 1200 euros.",
    ):
        await office.told(said)
    assert (await office.content()).constraints == ("It must be online by Friday.", "The budget is at most 1200 euros.")
    kept = (await office.told("Forget about the budget.")).kept
    assert kept is not None
    assert (kept.content.constraints, kept.flags) == (("It must be online by Friday.",), ("lifted",))


async def test_only_the_newest_exclusions_hold_and_the_versions_before_keep_the_rest() -> None:
    office = Office()
    for number in range(15):
        await office.told(f"No hotel{number}, please.")
    options = (await office.content()).excluded_options
    assert options == tuple(f"hotel{number}" for number in range(3, 15))
