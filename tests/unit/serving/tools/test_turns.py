"""A whole turn of the conversational memory by one pair of calls, and what can be read of it afterwards."""

import asyncio
import json
from collections.abc import Sequence
from typing import get_args

import pytest
from mcp import Client
from mcp.types import ResourceTemplateReference, TextResourceContents
from typing_extensions import override

from r_memory.domain.intents import Classification
from r_memory.domain.memories import MemoryItem, StreamChanges
from r_memory.domain.turns import Part
from r_memory.errors import ModelError, StoreUnavailable
from r_memory.protocols import Mention
from r_memory.serving.tools.recalling import Section
from r_memory.serving.tools.viewing import DECISIONS
from r_memory.testing.dict_stream import DictStream
from tests.scripted import ScriptedClassifier
from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, called, client_of, refused

pytestmark = pytest.mark.anyio
ANN = {"subject": "P1", "subject_name": "Ann Lee"}
VISIT = {"subject": "P1", "conversation_id": "visit 7"}


async def turn(client: Client, text: str, reply: str, **arguments: object) -> int:
    """Keeps a turn; gives its number."""
    result = await called(client, "memory_remember", text=text, reply=reply, **{**VISIT, **arguments})
    number: int = result["turn"]
    return number


async def talked(client: Client) -> None:
    """A short conversation about Ann."""
    await called(client, "memory_remember", text=ALLERGIC, **ANN)
    await turn(client, "I was in Dallas last week.", "How was it?")
    await turn(client, "Hot. I found a red house.", "Will you move?")
    await turn(client, "Perhaps in spring.", "Good luck.")


async def test_a_pair_of_calls_runs_a_turn_and_the_facts_stand_first(practice: Practice, era: Era) -> None:
    """Issue 6, 1: recall with the conversation's id before the answer, remember with the reply after it."""
    async with client_of(practice, era) as client:
        await talked(client)
        context = await called(client, "memory_build_context", query="Where was the red house?", **VISIT)
        number = await turn(client, "Where was the red house?", "In Dallas.")
    block = context["block"]
    parts = ["CRITICAL ALLERGY", "[CONVERSATION SUMMARY]:", "[RELEVANT MEMORY]:", "[PREVIOUS TURN]:", "[QUERY]:"]
    places = [block.index(part) for part in parts]
    assert places == sorted(places)
    assert "I was in Dallas" in block
    assert block.endswith("[QUERY]:\nWhere was the red house?")
    assert [section["part"] for section in context["sections"]] == ["summary", "memory", "previous"]
    assert all(section["tokens"] > 0 for section in context["sections"])
    assert number == 4


class OrdersOnly(ScriptedClassifier):
    """Hears an order in whatever says "start"."""

    @override
    def classify(self, query: str, mentions: Sequence[Mention]) -> Classification:
        if "start" in query:
            return super().classify(query, mentions)
        return Classification(scores=(), recognised=True)


@pytest.mark.parametrize(("reply", "whole"), [("Take care.", False), ("Then I start the tablets.", True)])
async def test_thanks_are_answered_briefly_unless_the_turn_before_proposed_something(
    reply: str, *, whole: bool
) -> None:
    """Issue 28, 6: a farewell shows what is critical in a line each."""
    async with client_of(Practice(classifier=OrdersOnly("MED_ORDER"))) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        await turn(client, "And now?", reply)
        context = await called(client, "memory_build_context", query="Thanks, goodbye!", **VISIT)
    block = context["block"].partition("[END R-MEMORY CONTEXT]")[0]
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in block
    assert ("said 2026-11-21 by" in block) is whole


async def test_without_a_conversation_nothing_of_it_is_shown_or_kept(practice: Practice) -> None:
    async with client_of(practice) as client:
        await talked(client)
        context = await called(client, "memory_build_context", query="Where was the red house?", subject="P1")
        alone = await called(client, "memory_remember", text="I like tea.", **VISIT)
        summary = await called(client, "memory_get_summary", **VISIT)
    assert "Dallas" not in context["block"]
    assert "sections" not in context
    assert "turn" not in alone
    assert summary["covers_turns"] == [1, 2, 3]


async def test_only_the_sections_asked_for_are_added(practice: Practice) -> None:
    async with client_of(practice) as client:
        await talked(client)
        context = await called(client, "memory_build_context", query="And now?", sections=["previous"], **VISIT)
        told = await refused(client, "memory_build_context", query="And now?", sections=["previous"], subject="P1")
        unknown = await refused(client, "memory_build_context", query="And now?", sections=["past"], **VISIT)
    assert [section["part"] for section in context["sections"]] == ["previous"]
    assert "call again with its conversation_id" in told
    assert "sections.0: Input should be 'scene', 'summary', 'memory' or 'previous'" in unknown


@pytest.mark.parametrize("profile", ["default", "scm", "cim", "mimir"])
async def test_each_profile_recalls_what_was_said_and_never_costs_a_fact(practice: Practice, profile: str) -> None:
    async with client_of(practice) as client:
        await talked(client)
        context = await called(client, "memory_build_context", query="The red house?", profile=profile, **VISIT)
    assert "CRITICAL ALLERGY" in context["block"]
    assert "red house" in context["block"].partition("[END R-MEMORY CONTEXT]")[2].partition("[QUERY]")[0]


async def test_a_small_budget_cuts_the_conversation_and_no_critical_line(practice: Practice) -> None:
    async with client_of(practice) as client:
        await talked(client)
        context = await called(client, "memory_build_context", query="The red house?", max_tokens=60, **VISIT)
    assert "CRITICAL ALLERGY" in context["block"]
    assert sum(section["tokens"] for section in context.get("sections", [])) < 60


async def test_a_long_conversation_gives_way_in_a_result_that_would_be_too_long(practice: Practice) -> None:
    """M-30's cap of 24000 characters, with the conversation beside the facts."""
    async with client_of(practice) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        for number in range(4):
            await turn(client, f"Story {number}. " + "Once upon a time. " * 400, f"Reply {number}. " + "I see. " * 1000)
        context = await called(client, "memory_build_context", query="The story?", max_tokens=6_000, **VISIT)
    assert "CRITICAL ALLERGY" in context["block"]
    assert len(json.dumps(context)) <= 24_000


class FailingStream(DictStream):
    """Cannot be read or written once it is told to fail."""

    fails = False

    @override
    async def memory_changes(self, space: str, *, after: int, limit: int = 1000) -> StreamChanges:
        if self.fails:
            raise StoreUnavailable("bolt://neo4j:secret@db does not answer")
        return await super().memory_changes(space, after=after, limit=limit)

    @override
    async def add_memories(self, items: Sequence[MemoryItem]) -> tuple[MemoryItem, ...]:
        if self.fails:
            raise StoreUnavailable("bolt://neo4j:secret@db does not answer")
        return await super().add_memories(items)


async def test_a_conversation_that_cannot_be_read_is_named_and_the_facts_go_out(era: Era) -> None:
    stream = FailingStream()
    async with client_of(Practice(stream=stream), era) as client:
        await talked(client)
        stream.fails = True
        context = await called(client, "memory_build_context", query="The red house?", **VISIT)
        kept = await called(client, "memory_remember", text="I like tea.", reply="Noted.", **VISIT)
        stream.fails = False
        again = await called(client, "memory_remember", text="I like tea.", reply="Noted.", **VISIT)
    assert "CRITICAL ALLERGY" in context["block"]
    assert "conversation" in context["failed"]
    assert "secret" not in json.dumps([context, kept])
    assert ("turn" in kept["troubles"], kept["episode_id"] != "", again["turn"]) == (True, True, 4)


async def test_the_same_turn_sent_again_is_kept_once(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        numbers = [await turn(client, "Hello.", "Good morning.") for _ in range(3)]
        other = await turn(client, "Hello.", "Good evening.")
    assert (numbers, other) == ([1, 1, 1], 2)


async def test_yes_said_twice_in_a_talk_is_two_turns_and_the_statement_is_one(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        numbers = [
            await turn(client, *said) for said in (("Yes.", "Fine."), ("I like tea.", "Fine."), ("Yes.", "Fine."))
        ]
        practice.clock.advance(600_000)
        numbers.append(await turn(client, "Yes.", "Fine."))
        numbers += [await turn(client, "Yes.", "Fine.", idempotency_key="7") for _ in range(2)]
    assert numbers == [1, 2, 3, 4, 5, 5]


async def test_a_key_used_in_two_conversations_keeps_a_turn_in_each(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        for conversation in ("visit 7", "visit 8", "visit 8"):
            again = {"idempotency_key": "1", "conversation_id": conversation}
            assert await turn(client, "Hello.", "Good morning.", **again) == 1
        summary = await called(client, "memory_get_summary", subject="P1", conversation_id="visit 8")
    assert summary["covers_turns"] == [1]


async def test_a_key_that_comes_back_with_another_reply_is_an_error(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        again = {"text": "Yes.", "conversation_id": "visit 7", "idempotency_key": "7", **ANN}
        first = await called(client, "memory_remember", reply="Fine.", **again)
        told = await refused(client, "memory_remember", reply="Good.", **again)
        same = await called(client, "memory_remember", reply="Fine.", **again)
    assert (first["turn"], same["turn"]) == (1, 1)
    assert "the turn is not: the idempotency key '7' was used before with other replies" in told


async def test_turns_sent_at_once_are_both_kept_and_numbered(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        numbers = await asyncio.gather(*(turn(client, f"Question {n}.", f"Answer {n}.") for n in range(8)))
        summary = await called(client, "memory_get_summary", **VISIT)
    assert sorted(numbers) == list(range(1, 9))
    assert summary["covers_turns"] == list(range(1, 9))


async def test_a_dry_run_keeps_no_turn(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        dry = await called(client, "memory_remember", text="Hello again.", reply="Yes?", dry_run=True, **VISIT)
    assert "turn" not in dry


@pytest.mark.proves("M-26")
async def test_a_reply_that_belongs_nowhere_is_refused_before_anything_is_stored(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        nowhere = await refused(client, "memory_remember", text=ALLERGIC, reply="Noted.", subject="P1")
        nobody = await refused(client, "memory_remember", text=ALLERGIC, reply="Noted.", role="document", **VISIT)
        echo = "[R-MEMORY CONTEXT]:\nx\n[END R-MEMORY CONTEXT]"
        block = await refused(client, "memory_remember", text=ALLERGIC, reply=echo, **VISIT)
        listed = await called(client, "memory_list_facts", subject="P1")
    assert "call again with its conversation_id" in nowhere
    assert "call again without it" in nobody
    assert "call again with what you answered" in block
    assert listed["total"] == 0


async def test_a_reply_that_carries_our_own_block_is_kept_without_it(practice: Practice) -> None:
    reply = "[R-MEMORY CONTEXT]:\nSubject: CANARY\n[END R-MEMORY CONTEXT]\nTake care."
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        await turn(client, "What may I take?", reply)
        context = await called(client, "memory_build_context", query="What did you say?", **VISIT)
    assert "Take care." in context["block"]
    assert "CANARY" not in context["block"]


async def test_what_an_assistant_replied_is_never_a_fact(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        await turn(client, "What do you know?", ALLERGIC)
        listed = await called(client, "memory_list_facts", subject="P1")
    assert listed["total"] == 0


async def test_a_summary_says_what_it_covers_and_when_it_is_behind(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await talked(client)
        whole = await called(client, "memory_get_summary", **VISIT)
        before = await called(client, "memory_get_summary", exclude_turns=[3], **VISIT)
        none = await called(client, "memory_get_summary", exclude_turns=[1], **VISIT)
        practice.writer.fails = ModelError("the model does not answer")
        told = await called(client, "memory_remember", text="And a garden.", reply="Nice.", **VISIT)
        behind = await called(client, "memory_get_summary", **VISIT)
    assert whole["sections"]["core_discussion"] == "a visit"
    assert (whole["covers_turns"], whole["stale"]) == ([1, 2, 3], False)
    assert (before["covers_turns"], before["stale"]) == ([1, 2], False)
    assert "Perhaps in spring." not in json.dumps(before["sections"])
    assert (none["sections"], none["covers_turns"], none["stale"]) == ({}, [], True)
    assert (behind["covers_turns"], behind["stale"]) == ([1, 2, 3], True)
    assert (told["turn"], told["troubles"]) == (4, {"summary": "the model does not answer"})
    assert "memory_build_context" in whole["note"]


@pytest.mark.proves("M-26")
async def test_an_unknown_conversation_is_refused_with_those_that_there_are(practice: Practice) -> None:
    async with client_of(practice) as client:
        await talked(client)
        told = await refused(client, "memory_get_summary", subject="P1", conversation_id="visit 8")
        other = await refused(client, "memory_get_summary", subject="P9", conversation_id="visit 7")
    assert "has no conversation 'visit 8'; use one of: visit 7." in told
    assert "P9" in other


async def test_what_was_decided_can_be_read_and_its_conversation_completed(practice: Practice, era: Era) -> None:
    """SCM 40 over MCP: the decision log as a resource."""
    async with client_of(practice, era) as client:
        await talked(client)
        await called(client, "memory_build_context", query="The red house?", **VISIT)
        [content] = (await client.read_resource("rmemory://conversation/visit%207/decisions")).contents
        template = ResourceTemplateReference(type="ref/resource", uri=DECISIONS)
        offered = await client.complete(template, {"name": "id", "value": "VIS"})
    assert isinstance(content, TextResourceContents)
    [decision] = json.loads(content.text)["decisions"]
    assert (decision["turn"], decision["gate"]["by"], decision["profile"]) == (4, "scripted", "default")
    assert {candidate["form"] for candidate in decision["candidates"]} <= {"raw", "summary", "dropped", "not_chosen"}
    assert list(offered.completion.values) == ["visit 7"]


def test_the_parts_that_can_be_asked_for_are_those_that_there_are() -> None:
    assert set(get_args(Section)) == {part.value for part in Part}
