"""Windows become memories, memories of one matter become one, and whatever fails is done with the next turn."""

import asyncio
from collections.abc import Sequence

import pytest
from typing_extensions import override

from r_memory.domain.memories import Layer, MemoryItem, StreamChanges, Tier
from r_memory.errors import BadReply, ModelRefused, ModelUnavailable, StoreUnavailable
from r_memory.protocols import Floats, Memorable
from r_memory.testing.dict_stream import DictStream
from r_memory_chat.rolling_back import roll_back_stream
from r_memory_chat.tiering import tiered
from r_memory_talk.stream.values import FLAG_IMPORTANCE
from r_memory_talk.tiers.tiers import Pair, TierReport, Tiers, TierSettings
from tests.unit.talk.tiers.world import (
    ANN,
    BEN,
    MINUTE,
    NOW,
    SMALL,
    TALK,
    Angles,
    Writer,
    a_stream,
    memories,
    near,
    say,
    talked,
)

pytestmark = pytest.mark.anyio

DOWN = ModelUnavailable("the model did not answer; try again")


# --- windows ---------------------------------------------------------------------------------------------------------


@pytest.mark.proves("MIM-2", "MIM-3", "A-6")
async def test_when_forty_turns_are_in_no_memory_the_oldest_twenty_become_one() -> None:
    stream, writer = a_stream(), Writer()
    tiers = Tiers(stream, writer)
    assert await talked(stream, tiers, 39) == []
    (made,) = await talked(stream, tiers, 1, first=40)
    assert await talked(stream, tiers, 19, first=41) == []
    assert len(await talked(stream, tiers, 1, first=60)) == 1
    assert [len(window) for window in writer.windows] == [20, 20]
    assert writer.windows[0][0] == "Ann: Line 1.\nKim: I see."
    seen = await tiered(stream, tiers, TALK, subject_uid=ANN)
    assert [item.observation for item in seen.short] == [f"Line {number}." for number in range(41, 61)]
    assert seen.waiting == ()
    assert seen.medium[0].id == made
    assert len(seen.medium[0].sources) == 20


async def test_turns_between_the_last_ones_and_the_next_window_are_waiting_and_can_be_searched() -> None:
    stream = a_stream()
    tiers = Tiers(stream, Writer(), SMALL)
    await talked(stream, tiers, 5)
    seen = await tiered(stream, tiers, TALK, subject_uid=ANN)
    assert [item.index for item in seen.waiting] == [3]
    found = await stream.search("Line", conversation=TALK, subject_uid=ANN, layer=Layer.MEMORIES, skip_last=2)
    assert {hit.item.gist for hit in found.chosen} == {"window 1", "Ann: Line 3.\nKim: I see."}


async def test_a_memory_is_as_old_as_the_last_of_its_turns() -> None:
    stream = a_stream()
    await talked(stream, Tiers(stream, Writer(), SMALL), 4)
    assert (await memories(stream))["window 1"].created_at == NOW + 2 * MINUTE


@pytest.mark.parametrize(
    ("given", "stored"),
    [(11, (10, ())), (0, (1, ())), (7.5, (8, ())), ("high", (5, ("importance",))), (None, (5, ("importance",)))],
)
@pytest.mark.proves("MIM-6")
async def test_importance_is_clamped_and_flagged_where_it_says_nothing(given: object, stored: object) -> None:
    stream = a_stream()
    await talked(stream, Tiers(stream, Writer(Memorable(summary="x", importance=given)), SMALL), 4)
    item = (await memories(stream))["x"]
    assert (item.importance, item.flags) == stored
    assert FLAG_IMPORTANCE == "importance"


async def test_topics_people_and_feelings_that_a_summary_does_not_name_are_added_to_it() -> None:
    made = Memorable(summary="Ann sold it.", topics=("boat (red)", "sold"), people=("Ann", "Kim"), emotions=("relief",))
    stream = a_stream()
    await talked(stream, Tiers(stream, Writer(made), SMALL), 4)
    assert list(await memories(stream)) == ["Ann sold it. (topics: boat  red; people: Kim; feelings: relief)"]


async def test_what_no_store_keeps_is_cleaned_out_of_a_model_s_words() -> None:
    stream = a_stream()
    await talked(stream, Tiers(stream, Writer(Memorable(summary="a\x00b\ud800 c\u202e", importance=3)), SMALL), 4)
    assert list(await memories(stream)) == ["ab c"]


async def test_a_memory_without_words_is_no_memory() -> None:
    stream = a_stream()
    tiers = Tiers(stream, Writer(Memorable(summary=" \x00 ")), SMALL)
    await say(stream, *"1234")
    assert "without words" in (await tiers.after_turn(TALK, subject_uid=ANN)).trouble
    assert await memories(stream) == {}


async def test_an_imported_conversation_is_caught_up_with_over_several_turns() -> None:
    stream = a_stream()
    await say(stream, *map(str, range(20)))
    tiers = Tiers(stream, Writer(), TierSettings(last=2, full=4, most_windows=3))
    made = [len((await tiers.after_turn(TALK, subject_uid=ANN)).made) for _ in range(4)]
    assert made == [3, 3, 3, 0]


# --- consolidation ---------------------------------------------------------------------------------------------------


async def two_windows(first: Memorable, second: Memorable) -> tuple[Writer, TierReport, dict[str, MemoryItem]]:
    """Two windows of two turns and what the second one came to."""
    stream, writer = a_stream(), Writer(first, second)
    tiers = Tiers(stream, writer, SMALL)
    await talked(stream, tiers, 5)
    await say(stream, "Line 6.")
    report = await tiers.after_turn(TALK, subject_uid=ANN)
    return writer, report, await memories(stream)


@pytest.mark.proves("MIM-4", "A-7")
@pytest.mark.parametrize("cosine", [0.801, 0.87, 0.949])
async def test_inside_the_band_two_memories_become_one_long_one_and_both_stay(cosine: float) -> None:
    writer, report, made = await two_windows(near(1, "older"), near(cosine, "newer", 8))
    assert writer.pairs == [("near 1.000 older", f"near {cosine:.3f} newer")]
    long = made[f"near {cosine:.3f} newer | near 1.000 older"]
    assert (long.tier, long.importance, len(made)) == (Tier.LONG, 8, 3)
    medium = made["near 1.000 older"].id, made[f"near {cosine:.3f} newer"].id
    assert (long.sources, report.made) == (medium, (medium[1], long.id))


@pytest.mark.proves("A-7")
@pytest.mark.parametrize("cosine", [0.5, 0.79])
async def test_below_the_band_two_memories_stay_apart(cosine: float) -> None:
    writer, report, made = await two_windows(near(1, "older"), near(cosine, "newer"))
    assert (writer.pairs, len(report.made), {item.tier for item in made.values()}) == ([], 1, {Tier.MEDIUM})
    assert len(made) == 2


@pytest.mark.proves("A-7")
async def test_above_the_band_a_memory_that_says_nothing_new_only_renews_the_known_one() -> None:
    writer, report, made = await two_windows(near(1, "boat", 4), near(1, "boat", 9))
    (item,) = made.values()
    assert (writer.pairs, report.made, item.importance) == ([], (), 9)
    assert (item.importance, item.accessed_at, item.sources) == (9, NOW, ("turn-1", "turn-2", "turn-3", "turn-4"))


async def test_above_the_band_a_changed_value_is_no_repetition() -> None:
    """`latest value wins`: a duplicate by its cosine would lose the new value."""
    writer, _, made = await two_windows(near(1, "pays 900"), near(1, "pays 1100"))
    assert len(writer.pairs) == 1
    assert len(made) == 3


async def test_consolidated_memories_are_left_out_of_searches_and_say_what_they_are_part_of() -> None:
    stream, writer = a_stream(), Writer(near(1, "older"), near(0.9, "newer"))
    tiers = Tiers(stream, writer, SMALL)
    await talked(stream, tiers, 6)
    found = await stream.search("older newer", conversation=TALK, subject_uid=ANN, k=50)
    tiers_found = {hit.item.tier for hit in found.chosen}
    assert (tiers_found, len(found.chosen)) == ({Tier.TURN, Tier.LONG}, 7)
    only = await stream.search("older newer", conversation=TALK, subject_uid=ANN, layer=Layer.MEMORIES, k=50)
    assert len(only.chosen) == 3
    said = await stream.search("older newer", conversation=TALK, subject_uid=ANN, layer=Layer.TURNS, k=50)
    assert {hit.item.tier for hit in said.chosen} == {Tier.TURN}
    seen = await tiered(stream, tiers, TALK, subject_uid=ANN)
    assert seen.consolidated == {item.id: (seen.long[0].id,) for item in seen.medium}


async def test_without_vectors_nothing_is_alike_and_nothing_is_lost() -> None:
    class Mute(Angles):
        @override
        async def embed(self, texts: Sequence[str]) -> Floats:
            raise DOWN

    stream = a_stream(embedder=Mute())
    tiers = Tiers(stream, Writer(near(1, "same"), near(1, "same again")), SMALL)
    assert len(await talked(stream, tiers, 6)) == 2
    assert {item.tier for item in (await memories(stream)).values()} == {Tier.MEDIUM}


async def test_a_long_memory_is_made_of_no_more_windows_than_the_policy_says() -> None:
    stream = a_stream()
    writer = Writer(*(near(0.9, f"part {number}") for number in range(6)), joined=near(0.9, "all of it"))
    await talked(stream, Tiers(stream, writer, TierSettings(last=2, full=4, most_parts=3)), 14)
    longs = [item for item in (await stream.items(TALK, subject_uid=ANN)) if item.tier is Tier.LONG]
    assert len(longs) == 4
    standing = [item for item in await stream.standing(TALK, subject_uid=ANN) if item.tier is Tier.LONG]
    assert len(standing) == 2


# --- failures --------------------------------------------------------------------------------------------------------


async def test_a_model_that_fails_leaves_the_window_for_the_next_turn_and_loses_nothing() -> None:
    stream, writer = a_stream(), Writer(DOWN, BadReply("no form"))
    tiers = Tiers(stream, writer, SMALL)
    await say(stream, *"1234")
    assert "did not answer" in (await tiers.after_turn(TALK, subject_uid=ANN)).trouble
    assert "no form" in (await tiers.after_turn(TALK, subject_uid=ANN)).trouble
    assert len((await tiers.after_turn(TALK, subject_uid=ANN)).made) == 1
    assert (len(await stream.conversation(TALK, subject_uid=ANN)), len(await memories(stream))) == (4, 1)


async def test_a_window_that_a_model_never_reads_is_written_without_it_and_holds_up_nobody() -> None:
    stream = a_stream()
    refused = [BadReply("no form"), ModelRefused("refused"), DOWN, BadReply("no form")]
    tiers = Tiers(stream, Writer(*refused), SMALL, fallback=Writer(Memorable(summary="by words", importance=3)))
    await say(stream, *"1234")
    made = [(await tiers.after_turn(TALK, subject_uid=ANN)).made for _ in range(4)]
    assert [len(item) for item in made] == [0, 0, 0, 1]
    assert list(await memories(stream)) == ["by words"]


async def test_a_consolidation_that_fails_leaves_two_memories_that_become_one_with_the_next_turn() -> None:
    stream, writer = a_stream(), Writer(near(1, "older"), near(0.9, "newer"), joined=DOWN)
    tiers = Tiers(stream, writer, SMALL)
    await talked(stream, tiers, 5)
    await say(stream, "Line 6.")
    report = await tiers.after_turn(TALK, subject_uid=ANN)
    assert ("did not answer" in report.trouble, len(report.made), len(writer.pairs)) == (True, 1, 1)
    writer.joining = None
    again = await tiers.after_turn(TALK, subject_uid=ANN)
    assert (len(again.made), again.trouble, len(writer.windows)) == (1, "", 2)
    assert (await tiers.after_turn(TALK, subject_uid=ANN)).made == ()


async def test_memories_left_apart_by_a_server_that_stopped_become_one_after_its_start() -> None:
    store, down = DictStream(), Writer(near(1, "older"), near(0.9, "newer"), joined=DOWN)
    stream = a_stream(store)
    await talked(stream, Tiers(stream, down, SMALL), 6)
    fresh = Tiers(a_stream(store), Writer(), SMALL)
    assert len((await fresh.after_turn(TALK, subject_uid=ANN)).made) == 1


async def test_doing_the_work_twice_makes_it_once() -> None:
    store = DictStream()
    one, other = a_stream(store), a_stream(store)
    await say(one, *"123456")
    first, second = Tiers(one, Writer(), SMALL), Tiers(other, Writer(), SMALL)
    reports = await asyncio.gather(
        first.after_turn(TALK, subject_uid=ANN),
        first.after_turn(TALK, subject_uid=ANN),
        second.after_turn(TALK, subject_uid=ANN),
    )
    assert reports[1].made == ()
    assert len(await memories(one)) == 2
    assert set(reports[0].made) >= set(reports[2].made)


async def test_a_store_that_fails_is_trouble_and_no_error() -> None:
    class Down(DictStream):
        down = False

        @override
        async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
            if self.down:
                raise StoreUnavailable("the store did not answer")
            return await super().memory_changes(space, after=after, limit=limit)

    store = Down()
    stream = a_stream(store)
    await say(stream, *"1234")
    store.down = True
    assert (
        await Tiers(stream, Writer(), SMALL).after_turn(TALK, subject_uid=ANN)
    ).trouble == "the store did not answer"


async def test_turns_that_are_erased_while_a_memory_is_made_leave_no_memory() -> None:
    stream = a_stream()

    class Slow(Writer):
        @override
        async def memorable(self, turns: Sequence[str]) -> Memorable:
            await roll_back_stream(stream, TALK, to=0, subject_uid=ANN)
            return await super().memorable(turns)

    await say(stream, *"1234")
    assert (await Tiers(stream, Slow(), SMALL).after_turn(TALK, subject_uid=ANN)).made == ()
    assert await stream.items(TALK, subject_uid=ANN) == ()


async def test_a_roll_back_takes_the_memories_of_its_turns_and_the_others_stand_again() -> None:
    stream = a_stream()
    tiers = Tiers(stream, Writer(near(1, "older"), near(0.9, "newer"), near(1, "older")), SMALL)
    await talked(stream, tiers, 6)
    await roll_back_stream(stream, TALK, to=3, subject_uid=ANN)
    assert list(await memories(stream)) == ["near 1.000 older"]
    found = await stream.search("older", conversation=TALK, subject_uid=ANN)
    assert "near 1.000 older" in [hit.item.gist for hit in found.chosen]


# --- isolation, and the operation over a whole conversation -----------------------------------------------------------


@pytest.mark.proves("MIM-8")
async def test_memories_of_another_pair_or_conversation_are_never_consolidated_with() -> None:
    stream = a_stream()
    writer = Writer(*(near(1, f"same {number}") for number in range(9)))
    tiers = Tiers(stream, writer, SMALL)
    await talked(stream, tiers, 4)
    await talked(stream, tiers, 4, subject_uid=BEN)
    await say(stream, *"1234", talk="other")
    await tiers.after_turn("other", subject_uid=ANN)
    assert writer.pairs == []
    assert [len(await memories(stream, subject)) for subject in (ANN, BEN)] == [1, 1]
    for subject in (ANN, BEN):
        theirs = {item.id for item in await stream.items(TALK, subject_uid=subject)}
        assert all(set(item.sources) <= theirs for item in (await memories(stream, subject)).values())


async def test_an_outlook_says_what_would_be_done_and_does_nothing() -> None:
    stream, writer = a_stream(), Writer(near(1, "older"), near(0.9, "newer"), joined=DOWN)
    await talked(stream, Tiers(stream, writer, SMALL), 6)
    before = await stream.items(TALK, subject_uid=ANN)
    asked = len(writer.windows), len(writer.pairs)
    await say(stream, *"789")
    tiers = Tiers(stream, writer, SMALL)
    due = await tiered(stream, tiers, TALK, subject_uid=ANN)
    made = await memories(stream)
    older, newer = made["near 1.000 older"].id, made["near 0.900 newer"].id
    assert due.windows == (("turn-5", "turn-6"),)
    (pair,) = due.pairs
    assert pair == Pair(older=older, newer=newer, cosine=pair.cosine)
    assert pair.cosine == pytest.approx(0.9)
    assert (len(writer.windows), len(writer.pairs)) == asked
    assert (await stream.items(TALK, subject_uid=ANN))[: len(before)] == before


async def test_a_whole_conversation_is_consolidated_at_once() -> None:
    stream = a_stream()
    await say(stream, *map(str, range(30)))
    writer = Writer(near(1, "older"), near(0.9, "newer"))
    tiers = Tiers(stream, writer, TierSettings(last=2, full=4, most_windows=1, most_merges=1))
    report = await tiers.consolidate(TALK, subject_uid=ANN)
    assert len(report.made) == 14 + 1
    due = await tiered(stream, tiers, TALK, subject_uid=ANN)
    assert (due.windows, due.pairs) == ((), ())


async def test_an_empty_conversation_has_nothing_to_do() -> None:
    stream = a_stream()
    tiers = Tiers(stream, Writer())
    assert await tiers.after_turn("never", subject_uid=ANN) == TierReport()
    assert (await tiers.consolidate("never")).made == ()
    seen = await tiered(stream, tiers, "never")
    assert (seen.short, seen.waiting, seen.medium, seen.long, seen.consolidated) == ((), (), (), (), {})
