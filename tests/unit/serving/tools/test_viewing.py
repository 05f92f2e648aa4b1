"""Resources, prompts and completions: views of what the tools give, of the caller's own space only."""

import json

import pytest
from mcp import Client, MCPError
from mcp.types import INVALID_PARAMS, PromptReference, ResourceTemplateReference, TextContent, TextResourceContents

from r_memory.errors import StoreUnavailable
from r_memory.serving.tools.prompting import MOST
from r_memory.testing.dict_store import DictStore
from tests.unit.serving.tools.practice import ALLERGIC, ASK, Era, Practice, called, client_of

pytestmark = pytest.mark.anyio
ANN = {"subject": "P1", "subject_name": "Ann Lee"}


async def text_at(client: Client, uri: str) -> str:
    """The text of a resource."""
    [content] = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


async def prompted(client: Client, name: str, **arguments: str) -> str:
    """The text of a prompt."""
    [message] = (await client.get_prompt(name, arguments)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def offered(client: Client, ref: PromptReference | ResourceTemplateReference, name: str, value: str) -> list[str]:
    """What is offered for the beginning of an argument."""
    return list((await client.complete(ref, {"name": name, "value": value})).completion.values)


async def test_a_subjects_context_and_facts_can_be_read(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        block = await text_at(client, "rmemory://subject/P1/context")
        facts = json.loads(await text_at(client, "rmemory://subject/P1/facts"))
        history = json.loads(await text_at(client, f"rmemory://fact/{facts['facts'][0]['fact_id']}"))
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in block
    assert "[QUERY]" not in block
    assert [event["kind"] for event in history["history"]] == ["observed"]


async def test_what_was_said_stands_beside_what_is_recorded_with_what_to_ask(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        told = json.loads(await text_at(client, "rmemory://subject/P1/reconcile"))
        template = ResourceTemplateReference(type="ref/resource", uri="rmemory://subject/{id}/reconcile")
        assert await offered(client, template, "id", "") == ["P1"]
    told_of, unasked = told["rows"]
    assert (told_of["outcome"], told_of["thing"]) == ("said, not recorded", "Penicillin")
    assert told_of["said"]["words"] == "severely allergic to penicillin"
    assert "recorded" not in told_of
    assert "should the record say so?" in told_of["question"]
    assert (unasked["outcome"], unasked["relation"]) == ("never asked", "HAS_IMPLANTS")
    assert (told["complete"], told["subject_name"]) == (True, "Ann Lee")


async def test_an_id_of_any_letters_is_found_by_its_encoded_address(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text=ALLERGIC, subject="bed 3/b", subject_name="Ann Lee")
        assert "Ann Lee" in await text_at(client, "rmemory://subject/bed%203%2Fb/context")


async def test_schema_intents_and_health_can_be_read(practice: Practice) -> None:
    async with client_of(practice) as client:
        schema, intents, health = [
            json.loads(await text_at(client, f"rmemory://{part}")) for part in ("schema", "intents", "health")
        ]
    assert [relation["name"] for relation in schema["relations"]] == ["HAS_ALLERGY_TO", "HAS_IMPLANTS", "LIKES"]
    assert "MED_ORDER" in [intent["name"] for intent in intents["intents"]]
    assert health["health"]["store"]


@pytest.mark.proves("M-46", "M-47")
@pytest.mark.parametrize(
    "uri",
    [
        "rmemory://subject/P9/context",
        "rmemory://subject/P9/reconcile",
        "rmemory://fact/00000000",
        "rmemory://subject/..%2f..%2fetc/context",
        "rmemory://nothing",
    ],
)
async def test_what_is_not_there_is_not_found(practice: Practice, era: Era, uri: str) -> None:
    async with client_of(practice, era) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(uri)
    assert refused.value.error.code == INVALID_PARAMS


async def test_a_memory_that_cannot_be_read_is_told_in_resources_and_prompts(practice: Practice) -> None:
    practice.fails = StoreUnavailable("the store does not answer")
    async with client_of(practice) as client:
        with pytest.raises(MCPError, match="SAFETY MEMORY UNAVAILABLE"):
            await client.read_resource("rmemory://subject/P1/context")
        briefing = await prompted(client, "safety_briefing", subject="P1")
    assert f"SAFETY MEMORY UNAVAILABLE: the store does not answer. {ASK}" in briefing


@pytest.mark.proves("M-47")
async def test_each_prompt_answers(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text=ALLERGIC, **ANN)
        briefing = await prompted(client, "safety_briefing", subject="Ann Lee")
        answer = await prompted(client, "answer_with_memory", subject="P1", query="What helps?")
        questions = await prompted(client, "intake", subject="P1")
        conflicts = await prompted(client, "review_conflicts", subject="P1")
        nobody = await prompted(client, "safety_briefing", subject="P9")
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in briefing
    assert answer.endswith("[QUERY]:\nWhat helps?")
    assert "Is there any allergy?" not in questions
    assert "contradicted" in conflicts
    assert "P9" in nobody


@pytest.mark.proves("M-47")
async def test_completions_offer_only_the_callers_own_and_at_most_a_hundred(practice: Practice) -> None:
    other = Practice(store=practice.store)
    assert isinstance(other.store, DictStore)
    async with client_of(practice) as client:
        for number in range(MOST + 5):
            await called(client, "memory_remember", text="Hello.", subject=f"P{number:03}", subject_name=f"N{number}")
        briefing = PromptReference(type="ref/prompt", name="safety_briefing")
        template = ResourceTemplateReference(type="ref/resource", uri="rmemory://subject/{id}/context")
        assert await offered(client, briefing, "subject", "p10") == ["P100", "P101", "P102", "P103", "P104"]
        assert len(await offered(client, template, "id", "")) == MOST
        assert await offered(client, briefing, "nonsense", "") == []


async def test_completions_offer_nothing_while_memory_cannot_be_read(practice: Practice) -> None:
    practice.fails = StoreUnavailable("the store does not answer")
    async with client_of(practice) as client:
        briefing = PromptReference(type="ref/prompt", name="safety_briefing")
        assert await offered(client, briefing, "subject", "") == []


@pytest.mark.proves("M-64")
async def test_a_listener_hears_of_its_own_subject_only(practice: Practice) -> None:
    watched = "rmemory://subject/P1/facts"
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        async with client.listen(resource_subscriptions=[watched]) as notices:
            await called(client, "memory_remember", text=ALLERGIC, subject="P2", subject_name="Ben Roe")
            await called(client, "memory_remember", text=ALLERGIC, subject="P1")
            heard = await anext(aiter(notices))
    assert watched in str(heard)
