"""A conversation without a terminal: what is stored when, what the model is asked, and what failure costs."""

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from r_memory.domain.turns import Part
from r_memory.errors import CutOff, InvalidInput, ModelUnavailable, StoreUnavailable
from r_memory_chat.events import (
    Answered,
    AnswerWhole,
    CommandDone,
    Event,
    Failed,
    Front,
    Heard,
    Notice,
    Objection,
    Piece,
)
from r_memory_chat.orders import Manner
from r_memory_chat.session import GO_ON, ChatPerson
from r_memory_chat.views import summary_label, summary_of
from r_memory_talk.summary.local import LocalSummaryWriter
from tests.scripted_stream import ScriptedStream
from tests.unit.chat.chat_world import REQUEST, ChatWorld
from tests.unit.facts.recall.world import JANE, JOHN
from tests.unit.memory_world import ALLERGY, UNREAD
from tests.unit.talk.world import World as Talk

pytestmark = pytest.mark.anyio
DOG = "My dog is called Rex."
DOG_AGAIN = "What is my dog called?"


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events if not isinstance(event, Piece | AnswerWhole)]


def front_of(events: list[Event]) -> Front:
    (front,) = (event for event in events if isinstance(event, Front))
    return front


def notices(events: list[Event]) -> str:
    return "\n".join(event.text for event in events if isinstance(event, Notice))


# --- what is asked ---------------------------------------------------------------------------------------------------


@pytest.mark.proves("CIM-6")
async def test_the_safety_block_stands_at_the_very_front_then_time_instruction_sections_question() -> None:
    world = await ChatWorld(manner=Manner(instruction="Be brief.")).with_john()
    await world.send(ALLERGY)
    await world.send(REQUEST)
    assert world.chat is not None
    system, question = world.chat.asked[-1]
    assert (system.role, question.role, question.text) == ("system", "user", REQUEST)
    places = [
        system.text.index(part)
        for part in (
            "[R-MEMORY CONTEXT]:",
            "It is 2026-11-21T10:15:02Z.",
            "Be brief.",
            "[CONVERSATION SUMMARY]:",
            "[PREVIOUS TURN]:",
        )
    ]
    assert places == sorted(places)
    assert places[0] == 0
    assert "CRITICAL ALLERGY" in system.text


async def test_a_fact_is_stored_and_stands_in_front_of_the_very_message_that_states_it() -> None:
    world = await ChatWorld().with_john()
    events = await world.send(f"{ALLERGY}")
    assert kinds(events) == [Heard, Front, Answered]
    assert "CRITICAL ALLERGY" in front_of(events).block


@pytest.mark.proves("CIM-1", "CIM-3")
async def test_each_prompt_holds_summary_and_fragments_and_never_the_transcript() -> None:
    world = await ChatWorld(manner=Manner(profile="cim")).with_john()
    for text in (DOG, *(f"On day {day} it rained in the north." for day in range(20))):
        await world.send(text)
    front = front_of(await world.send(DOG_AGAIN))
    assert front.prepared is not None
    assert {section.part for section in front.prepared.sections} == {Part.SUMMARY, Part.MEMORY}
    assert front.prepared.decision.candidates != ()
    assert "Rex" in front.before
    assert front.before.count("it rained in the north") <= 5
    assert front.tokens < front.full_tokens


@pytest.mark.proves("CIM-7")
async def test_full_history_replays_every_turn_behind_the_safety_block_and_saves_nothing() -> None:
    world = await ChatWorld(manner=Manner(old=True)).with_john()
    for text in (ALLERGY, DOG, *(f"On day {day} it rained." for day in range(8))):
        await world.send(text)
    front = front_of(await world.send(DOG_AGAIN))
    assert [(message.role, message.text) for message in front.sent[1:5]] == [
        ("user", ALLERGY),
        ("assistant", "Yes."),
        ("user", DOG),
        ("assistant", "Yes."),
    ]
    assert len(front.sent) == 1 + 2 * 10 + 1
    assert "CRITICAL ALLERGY" in front.block
    assert front.before == ""
    assert front.tokens == front.full_tokens


@pytest.mark.proves("CIM-5")
async def test_the_next_turn_sees_the_summary_of_the_last() -> None:
    world = await ChatWorld().with_john()
    events = await world.send(DOG)
    assert isinstance(events[-1], Answered)
    kept = await world.session.summary()
    assert kept is not None
    assert kept.content.core_discussion == DOG
    assert f"Topic: {DOG}" in front_of(await world.send(DOG_AGAIN)).before


# --- what is kept ----------------------------------------------------------------------------------------------------


@pytest.mark.proves("CIM-2", "CIM-20", "CIM-26")
async def test_message_and_answer_are_kept_word_for_word_with_who_said_them_and_when() -> None:
    world = await ChatWorld(chat=ScriptedStream(["Rex ", "is a ", "fine name."])).with_john()
    await world.send(DOG)
    (item,) = await world.stored()
    assert (item.observation, item.response) == (DOG, "Rex is a fine name.")
    assert (item.speaker, item.responder, item.created_at) == ("user", "assistant", world.talk.clock.now())


@pytest.mark.proves("CIM-23")
async def test_a_new_start_finds_the_conversation_with_its_summary_and_goes_on() -> None:
    world = await ChatWorld().with_john()
    await world.send(DOG)
    world.session = world.another()
    await world.with_john()
    assert [item.observation for item in await world.session.turns(100)] == [DOG]
    kept = await world.session.summary()
    assert kept is not None
    assert kept.version == 1


async def test_conversations_of_other_names_and_about_others_are_not_mixed() -> None:
    world = await ChatWorld().with_john()
    await world.send(DOG)
    world.session.choose(world.session.new_person("JR002", "Jane Roe"))
    assert await world.session.turns(100) == ()
    world.manner = Manner(conversation="other")
    world.session = world.another()
    await world.with_john()
    assert await world.session.turns(100) == ()


@pytest.mark.proves("SCM-8")
@pytest.mark.parametrize("pieces", [[], ["I would ", "recommend "]])
async def test_an_answer_that_fails_leaves_no_turn_behind_and_the_facts_stay(pieces: list[str]) -> None:
    error = ModelUnavailable("the model's answer broke off before its end; try again")
    world = await ChatWorld(chat=ScriptedStream([*pieces, error], ["Yes."])).with_john()
    events = await world.send(ALLERGY)
    assert kinds(events) == [Heard, Front, Failed]
    assert await world.stored() == ()
    again = await world.send(ALLERGY)
    assert [result.verdict for event in again if isinstance(event, Heard) for result in event.remembered.results] == [
        "duplicate"
    ]
    assert len(await world.stored()) == 1
    assert len(await world.base.store.events(JOHN.uid)) == 1


@pytest.mark.proves("SCM-8")
async def test_an_answer_that_the_person_stops_leaves_no_turn_behind() -> None:
    world = await ChatWorld(chat=ScriptedStream(["I would ", asyncio.Event()])).with_john()
    async with aclosing(world.session.send(DOG)) as events:
        async for event in events:
            if isinstance(event, Piece):
                break
    assert await world.stored() == ()
    assert world.session.waiting == 0


async def test_an_answer_of_nothing_but_blanks_is_none() -> None:
    world = await ChatWorld(chat=ScriptedStream([" ", "\n"])).with_john()
    events = await world.send(DOG)
    assert kinds(events) == [Heard, Front, Failed]
    assert await world.stored() == ()


async def test_a_message_that_is_too_long_is_refused_and_stored_nowhere() -> None:
    world = await ChatWorld().with_john()
    events = await world.send("word " * 50_000)
    assert kinds(events) == [Failed]
    assert await world.stored() == ()


async def test_nobody_chosen_means_no_answer() -> None:
    events = await ChatWorld().send(DOG)
    (failed,) = events
    assert isinstance(failed, Failed)
    assert "choose whom" in failed.reason


async def test_somebody_new_is_declared_with_the_first_words() -> None:
    world = ChatWorld()
    world.session.choose(world.session.new_person("JR002", "Jane Roe"))
    await world.send(ALLERGY)
    assert await world.session.people() == (JANE,)
    assert len(await world.base.store.events(JANE.uid)) == 1


async def test_what_the_person_is_told_beside_the_conversation_is_neither_stored_nor_searched() -> None:
    error = ModelUnavailable("the model did not answer within 20 s")
    world = await ChatWorld(chat=ScriptedStream(["Take some ", error], ["Take penicillin."])).with_john()
    world.talk.writer.down = True
    told = [await world.send(text) for text in (ALLERGY, ALLERGY)]
    assert [type(event) for event in told[1]][-2:] == [Notice, Objection]
    items = await world.talk.stream.search("did not answer within", conversation="chat", subject_uid=JOHN.uid)
    assert [(hit.item.observation, hit.item.response) for hit in items.chosen] == [(ALLERGY, "Take penicillin.")]
    assert "did not answer" not in items.chosen[0].item.raw


async def test_an_answer_against_what_is_recorded_is_objected_to() -> None:
    world = await ChatWorld(chat=ScriptedStream(["Take amoxicillin twice a day."])).with_john()
    await world.send(ALLERGY)
    events = await world.send(REQUEST)
    objections = [event.finding for event in events if isinstance(event, Objection)]
    assert objections
    assert {finding.verdict for finding in objections} == {"conflict"}
    assert "amoxicillin" in objections[0].quote


# --- without a model, without a memory -------------------------------------------------------------------------------


async def test_without_a_model_facts_are_stored_the_block_is_shown_and_the_message_is_kept() -> None:
    world = await ChatWorld(chat=None).with_john()
    await world.send(ALLERGY)
    events = await world.send(REQUEST)
    assert kinds(events) == [Heard, Front, Answered]
    assert "CRITICAL ALLERGY" in front_of(events).block
    assert [(item.observation, item.response) for item in await world.stored()] == [(ALLERGY, ""), (REQUEST, "")]


@pytest.mark.proves("CIM-4")
async def test_without_a_model_there_is_a_structured_summary_of_what_was_said() -> None:
    world = await ChatWorld(chat=None, talk=Talk(summaries=LocalSummaryWriter())).with_john()
    await world.send("We decided on a database for the billing service.")
    await world.send("Let's not use MongoDB.")
    kept = await world.session.summary()
    assert kept is not None
    assert kept.upto == 2
    assert kept.content.current_conclusion == ("We decided on a database for the billing service.",)
    assert [entry.split(":")[0] for entry in kept.content.excluded_options] == ["MongoDB"]
    assert "picked word for word, without a model" in summary_of(kept).plain
    assert summary_label(kept) == "version 2 · no model"


@pytest.mark.proves("Z15")
async def test_where_memory_cannot_be_read_the_block_says_so_and_the_model_is_told() -> None:
    world = await ChatWorld().with_john()
    world.breaks()
    events = await world.send(REQUEST)
    front = front_of(events)
    assert "SAFETY MEMORY UNAVAILABLE" in front.block
    assert "10.0.0.5" not in front.block + notices(events)
    assert front.alarm.startswith("SAFETY MEMORY UNAVAILABLE")
    assert [event.loud for event in events if isinstance(event, Notice)] == [True, True]
    assert world.chat is not None
    assert "SAFETY MEMORY UNAVAILABLE" in world.chat.asked[0][0].text


async def test_what_cannot_be_stored_waits_and_is_stored_with_the_next_message_in_its_order() -> None:
    world = await ChatWorld().with_john()
    world.breaks()
    first = await world.send(ALLERGY)
    assert "NOT STORED" in notices(first)
    second = await world.send(DOG)
    assert "NOT STORED" in notices(second)
    assert world.session.waiting == 2
    world.mends()
    third = await world.send(DOG_AGAIN)
    assert notices(third).startswith("Stored now: 2")
    assert [item.observation for item in await world.stored()] == [ALLERGY, DOG, DOG_AGAIN]
    assert len(await world.base.store.events(JOHN.uid)) == 1
    assert world.session.waiting == 0


async def test_a_turn_that_the_stream_cannot_take_waits_while_its_facts_are_stored() -> None:
    world = await ChatWorld().with_john()
    world.breaks("add_memories")
    events = await world.send(ALLERGY)
    assert [type(event) for event in events][-2:] == [Answered, Notice]
    assert len(await world.base.store.events(JOHN.uid)) == 1
    world.mends()
    await world.send(DOG)
    assert [item.observation for item in await world.stored()] == [ALLERGY, DOG]


async def test_nobody_else_can_be_chosen_while_something_waits() -> None:
    world = await ChatWorld().with_john()
    world.breaks("add_memories")
    await world.send(ALLERGY)
    with pytest.raises(InvalidInput, match="not stored yet"):
        world.session.choose(world.session.new_person("JR002", "Jane Roe"))


async def test_where_only_the_conversation_cannot_be_read_the_facts_still_go_out_and_what_is_missing_is_named() -> None:
    world = await ChatWorld().with_john()
    await world.send(ALLERGY)
    world.breaks("memory_changes", "summaries", "add_decision", "decisions")
    front = front_of(await world.send(REQUEST))
    assert "CRITICAL ALLERGY" in front.block
    assert "[MISSING]" in front.before or front.trouble


async def test_a_summary_that_failed_is_told_and_costs_no_turn() -> None:
    world = await ChatWorld().with_john()
    world.talk.writer.down = True
    events = await world.send(DOG)
    assert "summary not made" in notices(events)
    assert len(await world.stored()) == 1


async def test_an_unreachable_store_is_an_error_of_whoever_reads_the_record() -> None:
    world = await ChatWorld().with_john()
    world.breaks()
    with pytest.raises(StoreUnavailable):
        await world.session.turns(100)


async def test_an_answer_that_was_cut_off_is_kept_marked_and_can_be_continued() -> None:
    chat = ScriptedStream(["The first half", CutOff("the answer was cut off")], ["and the second."])
    world = await ChatWorld(chat=chat).with_john()
    assert "/continue" in notices(await world.send("Tell me a story."))
    (turn,) = await world.stored()
    assert (turn.response, turn.flags) == ("The first half", ("cut_off",))
    await world.send("/continue")
    assert [message.text for message in chat.asked[-1][1:3]] == ["Tell me a story.", "The first half"]
    assert "answer cut off" in chat.asked[-1][0].text
    assert [turn.response for turn in await world.stored()] == ["The first half", "and the second."]
    assert kinds(await world.send("/continue")) == [Failed]


async def test_what_is_continued_is_the_first_question_and_the_order_to_is_no_word_of_the_talk() -> None:
    """The words that ask the model to go on were stored as the person's, and became the topic."""
    cut = CutOff("the answer was cut off")
    chat = ScriptedStream(["One,", cut], ["two,", cut], ["three."])
    world = await ChatWorld(chat=chat).with_john()
    await world.send("Count the harbour boats.")
    fronts = [front_of(await world.send("/continue")) for _ in range(2)]
    asked = "Count the harbour boats."
    assert [message.text for message in chat.asked[-1][1:]] == [asked, "One,", GO_ON, "two,", GO_ON]
    assert [front.question for front in fronts] == [asked] * 2
    assert [turn.observation for turn in await world.stored()] == [asked, "/continue", "/continue"]


async def test_what_is_asked_does_not_stand_as_unread_in_its_own_block_and_does_in_the_next() -> None:
    """Issue 33.10: the words followed unchanged, and stood before themselves as NOT YET READ."""
    world = await ChatWorld().with_john()
    assert "NOT YET READ" not in front_of(await world.send(UNREAD)).block
    assert UNREAD in front_of(await world.send(REQUEST)).block


async def test_a_talk_about_nobody_is_remembered_and_no_fact_is_stored_or_looked_up() -> None:
    world = await ChatWorld().with_john()
    world.session.choose(ChatPerson(entity=None))
    assert kinds(await world.send(ALLERGY)) == [Front, Answered]
    front = front_of(await world.send("What did I say about penicillin?"))
    assert "no facts were looked up" in front.block
    assert "allergic to penicillin" in front.before
    assert await world.stored() == ()


async def test_turns_are_taken_back_and_a_conversation_is_left_and_erased_by_orders_that_no_model_sees(
    tmp_path: Path,
) -> None:
    """Issue 15.13: facts that were said stay, whatever is taken back."""
    world = await ChatWorld().with_john()
    for text in (ALLERGY, DOG, "I sail."):
        await world.send(text)
    asked = len(world.chat.asked) if world.chat else 0
    assert kinds(await world.send("/rollback")) == [CommandDone]
    assert [turn.observation for turn in await world.stored()] == [ALLERGY, DOG]
    assert kinds(await world.send(f"/export {tmp_path / 'talk.txt'}")) == [CommandDone]
    assert DOG in (tmp_path / "talk.txt").read_text(encoding="utf-8")
    assert [kinds(await world.send(order)) for order in ("/rollback 99", "/reset")] == [[Failed], [Failed]]
    assert kinds(await world.send("/重置 是")) == [CommandDone]
    assert await world.stored() == ()
    assert kinds(await world.send("/conversation tuesday")) == [CommandDone]
    assert world.session.manner.conversation == "tuesday"
    assert kinds(await world.send("/scene A dark greenhouse.")) == [CommandDone]
    assert world.chat is None or len(world.chat.asked) == asked
    front = front_of(await world.send(REQUEST))
    assert "CRITICAL ALLERGY" in front.block
    assert "A dark greenhouse." in front.before
