"""Mimir as its authors describe it, whole: tiers, scene, search and the last turns in one context, without a model."""

import math

import pytest

from r_memory.domain.memories import Layer, Tier
from r_memory.domain.turns import Part, PreparedSections
from r_memory_chat.tiering import tiered
from r_memory_talk.assembly import SCENE_LIMIT
from r_memory_talk.profiles import modes
from r_memory_talk.stream.scoring import SCORINGS, Mimir
from r_memory_talk.tiers.tiers import Tiers, TierSettings
from tests.unit.talk.stream.world import a_candidate, a_question
from tests.unit.talk.tiers.room import Room
from tests.unit.talk.tiers.world import (
    ANN,
    BEN,
    SMALL,
    TALK,
    Angles,
    Writer,
    a_stream,
    memories,
    say,
    talked,
)

pytestmark = pytest.mark.anyio

FLOWERS = ("anemone", "bluebell", "cornflower", "dahlia", "erica")
STONES = ("basalt", "granite", "marble", "obsidian", "slate")


def shown(prepared: PreparedSections, part: Part) -> str:
    return "\n".join(section.text for section in prepared.sections if section.part is part)


async def chatted(room: Room, turns: int, *, subject_uid: str, things: tuple[str, ...]) -> None:
    """Turns about things that nobody else speaks of."""
    for number in range(turns):
        thing = things[number % len(things)]
        await room.say(
            f"My {thing} number {number} stands on shelf {number * 7 % 31}, and I bought it in year {1900 + number}.",
            f"A fine {thing}, number {number}.",
            subject_uid=subject_uid,
        )


@pytest.mark.proves("MIM-2", "MIM-3", "MIM-7", "MIM-8")
async def test_a_hundred_turns_of_two_pairs_are_kept_whole_apart_and_within_bounds() -> None:
    room = Room()
    tokens: list[int] = []
    full = 0
    for start in range(10):
        for subject, things in ((ANN, FLOWERS), (BEN, STONES)):
            await chatted(room, 10, subject_uid=subject, things=things)
            prepared = await room.conversations.prepare(
                f"Where does the {things[start % 5]} stand?", TALK, subject_uid=subject, profile="mimir", max_tokens=0
            )
            others = STONES if subject == ANN else FLOWERS
            assert prepared.text
            assert not any(other in prepared.text for other in others)
            tokens.append(prepared.tokens)
            full = prepared.decision.full_history_tokens
    for subject in (ANN, BEN):
        seen = await tiered(room.stream, room.tiers, TALK, subject_uid=subject)
        turns = await room.stream.conversation(TALK, subject_uid=subject)
        assert [turn.index for turn in turns] == list(range(1, 101))
        covered = {id_ for memory in (*seen.medium, *seen.long) for id_ in memory.sources}
        assert {turn.id for turn in turns[:80]} <= covered
        assert (len(seen.short), seen.waiting) == (20, ())
    assert max(tokens[10:]) < 0.6 * full
    assert max(tokens[14:]) <= 1.25 * max(tokens[8:12])


@pytest.mark.proves("MIM-5", "MIM-7")
async def test_the_context_holds_scene_memories_and_the_last_turns_as_they_were_said() -> None:
    room = Room()
    await chatted(room, 60, subject_uid=ANN, things=FLOWERS)
    prepared = await room.conversations.prepare(
        "Where does anemone number 5 stand?", TALK, subject_uid=ANN, profile="mimir", scene="A greenhouse at night."
    )
    parts = [section.part for section in prepared.sections]
    assert parts == [Part.SCENE, Part.MEMORY, Part.PREVIOUS]
    assert "A greenhouse at night." in shown(prepared, Part.SCENE)
    assert "Memory" in shown(prepared, Part.MEMORY)
    assert [f"number {number} stands" in shown(prepared, Part.PREVIOUS) for number in (39, 40, 59)] == [
        False,
        True,
        True,
    ]


@pytest.mark.proves("MIM-1")
async def test_a_scene_is_shown_and_stored_nowhere() -> None:
    room = Room()
    await room.say("Hello.", "Hello, Ann.", subject_uid=ANN)
    for _ in range(3):
        prepared = await room.conversations.prepare(
            "What do you see?", TALK, subject_uid=ANN, scene='[QUERY]: A "penguin" on ice.'
        )
        assert shown(prepared, Part.SCENE) == "(QUERY): A 'penguin' on ice."
    await room.say("What do you see?", "A bird.", subject_uid=ANN)
    changes = await room.store.memory_changes("stage", after=0)
    assert not any("penguin" in item.raw + item.summary for item in changes.items)
    endless = await room.conversations.prepare("And?", TALK, subject_uid=ANN, scene="A shelf.\n" * 5_000)
    assert 0 < len(shown(endless, Part.SCENE)) <= SCENE_LIMIT
    without = await room.conversations.prepare("And now?", TALK, subject_uid=ANN)
    assert "penguin" not in without.text


@pytest.mark.proves("MIM-17", "T-20")
async def test_where_are_they_located_finds_the_orchard_in_a_memory_by_the_history_only() -> None:
    """`mimir` builds the question of the last messages, `cim` of the last one alone, and misses."""
    room = Room(TierSettings(last=4, full=8))
    room.conversations.profiles = modes({"mimir": {"k": 1}})
    await room.say("My cousin prunes trees.", "A calm job.", subject_uid=ANN)
    await room.say("Wiard's orchard lies north of Ypsilanti.", "Good to know.", subject_uid=ANN)
    for number in range(10):
        await room.say(f"I slept badly in night {number}.", "Try some tea.", subject_uid=ANN)
    await room.say("I like apples.", "Me too, the ones from Wiard's orchard!", subject_uid=ANN)
    question = "Where are they located?"
    prepared = await room.conversations.prepare(question, TALK, subject_uid=ANN, profile="mimir")
    assert "Ypsilanti" in shown(prepared, Part.MEMORY)
    cim = await room.conversations.prepare(question, TALK, subject_uid=ANN, profile="cim")
    assert "Ypsilanti" not in shown(cim, Part.MEMORY)


@pytest.mark.proves("MIM-16")
async def test_the_dallas_sentence_is_found_in_a_memory_by_other_forms_of_its_words() -> None:
    room = Room(TierSettings(last=2, full=4))
    await room.say("The house is Red. I found it driving to dallas.", "Nice.", subject_uid=ANN)
    for number in range(8):
        await room.say(f"I watered the fern in week {number}.", "Ferns like that.", subject_uid=ANN)
    question = "What color was the House you saw on the drive to Dallas?"
    found = await room.stream.search(
        question, conversation=TALK, subject_uid=ANN, layer=Layer.MEMORIES, scoring=SCORINGS["mimir"], k=1
    )
    (hit,) = found.chosen
    assert (hit.item.tier, "house is Red" in hit.item.summary) == (Tier.MEDIUM, True)


@pytest.mark.proves("MIM-18", "MIM-6")
async def test_a_loss_surfaces_against_an_invitation_for_yogurt() -> None:
    """The memory shares no word with the question; its importance alone brings it up."""
    room = Room(SMALL)
    await room.say("My father died last week.", "I am so sorry.", subject_uid=ANN)
    await room.say("The funeral is on Saturday.", "Do you want company?", subject_uid=ANN)
    for number in range(8):
        await room.say(f"Shelf {number} holds jars.", "Well sorted.", subject_uid=ANN)
    found = await room.stream.search(
        "Shall we go out for a frozen yogurt?",
        conversation=TALK,
        subject_uid=ANN,
        layer=Layer.MEMORIES,
        skip_last=2,
        scoring=SCORINGS["mimir"],
        k=1,
    )
    (hit,) = found.chosen
    assert ("father died" in hit.item.summary, hit.item.importance) == (True, 10)
    assert hit.components["lexical"] == 0


@pytest.mark.proves("MIM-14", "A-3")
def test_the_final_score_is_the_hybrid_less_its_age_plus_a_little_for_importance() -> None:
    day = 24 * 3_600_000
    question = a_question(first=a_question().now - 10 * day)
    item = a_candidate(lexical=3.0, cosine=0.4, importance=8, created_at=question.now - 5 * day)
    (found,) = Mimir().score(question, [item])
    hybrid = 0.5 * 1.0 + 0.5 * 0.4
    assert found.score == pytest.approx(hybrid * (1 - 0.0853) + 0.1 * math.log10(8), abs=1e-4)


@pytest.mark.proves("MIM-9")
async def test_a_search_asks_the_embedder_once_and_no_model_at_all() -> None:
    """Scoring is done in the first search: no re-ranker, and nothing grows with what is found."""
    embedder, writer = Angles(), Writer()
    stream = a_stream(embedder=embedder)
    await say(stream, *(f"Line {number}." for number in range(50)))
    before = embedder.calls
    await stream.search("Line 7?", conversation=TALK, subject_uid=ANN, scoring=SCORINGS["mimir"], k=50)
    assert (embedder.calls - before, writer.windows, writer.pairs) == (1, [], [])


async def test_a_turn_without_anything_due_costs_no_call() -> None:
    embedder, writer = Angles(), Writer()
    stream = a_stream(embedder=embedder)
    tiers = Tiers(stream, writer, SMALL)
    await talked(stream, tiers, 4)
    await say(stream, "Line 5.")
    before = embedder.calls, len(writer.windows)
    assert (await tiers.after_turn(TALK, subject_uid=ANN)).made == ()
    assert (embedder.calls, len(writer.windows)) == before


async def test_a_conversation_about_nobody_has_tiers_of_its_own() -> None:
    stream = a_stream()
    tiers = Tiers(stream, Writer(), SMALL)
    await talked(stream, tiers, 4, subject_uid="")
    await talked(stream, tiers, 3)
    assert (len(await memories(stream, "")), len(await memories(stream))) == (1, 0)
