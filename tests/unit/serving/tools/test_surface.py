"""What every client sees of the tools before it calls one: M-12 to M-28 of the specification, as far as the tools go.

After a change that was meant, `WRITE_GOLDEN=1 pytest` on this file writes the list for review.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import INVALID_PARAMS, Tool

from r_memory.serving.tools.surface import instructions
from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, called, client_of, refused, text_of

pytestmark = pytest.mark.anyio
GOLDEN = Path(__file__).parents[3] / "golden" / "tools.json"
LONGEST_PREFIX = "mcp__plugin_r-memory_r-memory__"
ANN = {"subject": "P1", "subject_name": "Ann Lee"}


async def listed(practice: Practice, era: Era = "auto") -> list[Tool]:
    """The tools as a client gets them."""
    async with client_of(practice, era) as client:
        return list((await client.list_tools()).tools)


def plain(tools: list[Tool]) -> list[dict[str, Any]]:
    """The tools as they stand on the wire."""
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


def objects(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every schema of an object with named properties, nested ones included."""
    if "properties" in schema:
        yield schema
    for value in schema.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                yield from objects(part)


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


@pytest.mark.proves("M-20", "M-21")
async def test_the_list_is_the_reviewed_one_in_both_eras(practice: Practice) -> None:
    first, again, legacy = await listed(practice), await listed(practice), await listed(practice, "legacy")
    if os.environ.get("WRITE_GOLDEN"):
        GOLDEN.write_text(json.dumps(plain(first), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    assert plain(first) == json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert plain(first) == plain(again) == plain(legacy)


@pytest.mark.proves("M-12")
async def test_each_tool_says_whether_it_writes(practice: Practice) -> None:
    hints = {
        tool.name: tool.annotations and tool.annotations.model_dump(exclude_none=True)
        for tool in await listed(practice)
    }
    reads = {"read_only_hint": True, "open_world_hint": False}
    writes = {"read_only_hint": False, "destructive_hint": False, "idempotent_hint": True, "open_world_hint": False}
    assert hints == {
        "memory_remember": writes,
        "memory_build_context": reads,
        "memory_check_text": reads,
        "memory_search": reads,
        "memory_list_facts": reads,
        "memory_subjects": reads,
        "memory_change_fact": {**writes, "destructive_hint": True},
        "memory_get_summary": reads,
        "memory_ingest_document": writes,
        "memory_describe": reads,
    }


async def test_the_two_tools_that_must_never_be_missed_are_loaded_at_once(practice: Practice) -> None:
    loaded = [tool.name for tool in await listed(practice) if (tool.meta or {}).get("anthropic/alwaysLoad")]
    assert loaded == ["memory_remember", "memory_build_context"]


@pytest.mark.proves("M-13", "M-14", "M-15", "M-16")
async def test_names_titles_and_descriptions_are_as_hosts_need_them(practice: Practice) -> None:
    for tool in await listed(practice):
        assert re.fullmatch(r"[a-z][a-z0-9_]{2,32}", tool.name)
        assert len(LONGEST_PREFIX + tool.name) <= 64
        assert tool.title
        assert tool.description is not None
        assert 20 <= len(tool.description) <= 2_000
        assert "  " not in tool.description
        for schema in objects(tool.input_schema):
            for name, parameter in schema["properties"].items():
                assert parameter.get("description"), f"{tool.name}.{name}"


@pytest.mark.proves("M-17", "M-18", "M-22")
async def test_inputs_are_closed_and_every_result_has_a_schema_without_loose_ends(practice: Practice) -> None:
    for tool in await listed(practice):
        assert all(schema["additionalProperties"] is False for schema in objects(tool.input_schema))
        assert "$ref" not in json.dumps(tool.input_schema)
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
        assert '"null"' not in json.dumps([tool.input_schema, tool.output_schema])


@pytest.mark.proves("M-48")
async def test_instructions_say_when_to_call_what(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        assert client.instructions == instructions(practice.offer)


@pytest.mark.proves("M-23")
async def test_an_unknown_argument_is_refused_and_named(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        told = await refused(client, "memory_list_facts", subject="P1", relation="HAS_ALLERGY_TO")
    assert (
        "Unknown argument(s): relation. Allowed: as_of, cursor, fact_id, limit, relations, statuses, subject." in told
    )


@pytest.mark.proves("M-23")
async def test_an_unknown_argument_of_a_fact_is_refused_and_named_and_costs_no_other(
    practice: Practice, era: Era
) -> None:
    tea = {"relation": "LIKES", "object": "tea", "evidence": "tea"}
    async with client_of(practice, era) as client:
        told = await called(
            client, "memory_remember", text="I like tea.", facts=[{**tea, "bogus": "CANARY"}, tea], **ANN
        )
    wrong, right = told["results"]
    assert (wrong["verdict"], right["verdict"]) == ("rejected", "stored")
    assert "bogus: Extra inputs are not permitted" in wrong["reason"]
    assert "CANARY" not in str(told)


async def test_wrong_arguments_are_refused_without_their_values(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        told = await refused(client, "memory_list_facts", subject={"CANARY": 1}, limit=1_000)
    assert "Invalid arguments. subject: Input should be a valid string; limit: Input should be less than" in told
    assert "CANARY" not in told


@pytest.mark.proves("M-24")
async def test_unknown_tools_and_prompts_are_protocol_errors(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        with pytest.raises(MCPError) as tool:
            await client.call_tool("memory_forget_everything", {})
        with pytest.raises(MCPError) as prompt:
            await client.get_prompt("no_such_prompt", {})
    assert (tool.value.error.code, prompt.value.error.code) == (INVALID_PARAMS, INVALID_PARAMS)


async def test_the_name_of_a_tool_that_went_is_answered_by_the_call_to_make(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        told = await refused(client, "memory_record_facts", text="I like tea.", facts=[], subject="P1")
    assert "memory_record_facts is gone: call memory_remember with the same text and subject and your `facts`" in told


@pytest.mark.proves("M-27")
@pytest.mark.parametrize("text", ['{"a":1}', "[1]", "null", "12", "true", '"quoted"'])
async def test_text_that_looks_like_json_survives(practice: Practice, text: str) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        context = await called(client, "memory_build_context", query=text, subject="P1")
        declared = await called(client, "memory_remember", text=text, subject=text, subject_name=text)
    assert context["block"].endswith(f"[QUERY]:\n{text}")
    assert declared["episode_id"]


@pytest.mark.proves("M-28", "M-33")
@pytest.mark.filterwarnings("error::mcp.MCPDeprecationWarning")
async def test_both_channels_of_each_tool_carry_the_same(practice: Practice, era: Era) -> None:
    calls: dict[str, dict[str, object]] = {
        "memory_remember": {"text": ALLERGIC, "reply": "Noted.", "conversation_id": "visit 7", **ANN},
        "memory_build_context": {"query": "What may I take?", "subject": "P1", "conversation_id": "visit 7"},
        "memory_search": {"query": "penicillin", "subject": "P1"},
        "memory_list_facts": {"subject": "P1"},
        "memory_get_summary": {"conversation_id": "visit 7", "subject": "P1"},
        "memory_describe": {},
    }
    async with client_of(practice, era) as client:
        for tool, arguments in calls.items():
            result = await client.call_tool(tool, arguments)
            assert json.loads(text_of(result)) == result.structured_content


@pytest.mark.proves("M-25", "Z35")
async def test_the_text_of_a_crash_never_reaches_the_client(
    practice: Practice, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def crash(*_: object, **__: object) -> None:
        raise RuntimeError("bolt://user:secret@host CANARY")

    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text="Hello.", **ANN)
        monkeypatch.setattr(practice.store, "subjects", crash)
        for tool, arguments in (
            ("memory_remember", {"text": ALLERGIC}),
            ("memory_build_context", {"query": "Hello"}),
            ("memory_search", {"query": "Hello"}),
            ("memory_list_facts", {}),
            ("memory_get_summary", {"conversation_id": "visit 7"}),
        ):
            assert await refused(client, tool, subject="P1", **arguments) == f"Error executing tool {tool}"
