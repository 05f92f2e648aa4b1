"""The view of a record (MCP Apps): offered where a client says that it shows views, and silent elsewhere."""

import re

import pytest
from mcp import Client
from mcp.client import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.types import ResourceLink, TextResourceContents

from r_memory.serving.tools.showing import RECORD
from tests.unit.serving.tools.practice import Era, Practice, called

pytestmark = pytest.mark.anyio
ALLERGIC = "I am severely allergic to penicillin."


def showing(practice: Practice, era: Era) -> Client:
    """A client that shows views."""
    return Client(practice.server(), mode=era, extensions=[advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})])


async def told(client: Client) -> None:
    await called(client, "memory_remember", text=ALLERGIC, subject="JD001", subject_name="John Doe", speaker="patient")


async def test_a_client_that_shows_views_is_offered_one_with_the_tools_that_it_draws(
    practice: Practice, era: Era
) -> None:
    async with showing(practice, era) as client:
        tools = {tool.name: (tool.meta or {}).get("ui") for tool in (await client.list_tools()).tools}
        assert {name for name, ui in tools.items() if ui} == {"memory_list_facts", "memory_build_context"}
        assert tools["memory_list_facts"] == {"resourceUri": RECORD}
        listed = {resource.uri: resource.mime_type for resource in (await client.list_resources()).resources}
        assert listed[RECORD] == APP_MIME_TYPE


async def test_another_client_hears_nothing_of_it(practice: Practice, era: Era) -> None:
    async with Client(practice.server(), mode=era) as client:
        assert not any("ui" in (tool.meta or {}) for tool in (await client.list_tools()).tools)
        assert RECORD not in {resource.uri for resource in (await client.list_resources()).resources}
        await told(client)
        result = await client.call_tool("memory_build_context", {"query": "Prescribe amoxicillin.", "subject": "JD001"})
        assert [part.type for part in result.content] == ["text"]


async def test_who_shows_views_after_another_client_does_not_change_what_that_one_is_told(
    practice: Practice, era: Era
) -> None:
    server = practice.server()
    apps = [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]
    async with Client(server, mode=era, extensions=apps) as client:
        assert any("ui" in (tool.meta or {}) for tool in (await client.list_tools()).tools)
    async with Client(server, mode=era) as client:
        assert not any("ui" in (tool.meta or {}) for tool in (await client.list_tools()).tools)


async def test_a_recall_links_its_receipt_which_holds_the_block_as_it_stood(practice: Practice, era: Era) -> None:
    async with showing(practice, era) as client:
        await told(client)
        result = await client.call_tool("memory_build_context", {"query": "Prescribe amoxicillin.", "subject": "JD001"})
        assert result.structured_content is not None
        [link] = [part for part in result.content if isinstance(part, ResourceLink)]
        assert link.uri == f"rmemory://receipt/{result.structured_content['receipt_id']}"
        [kept] = (await client.read_resource(link.uri)).contents
        assert isinstance(kept, TextResourceContents)
        shown, _, block = kept.text.partition("\n")
        assert ("shown" in shown, block in str(result.structured_content["block"])) == (True, True)
        assert "CRITICAL ALLERGY" in block


async def test_the_view_asks_no_other_host_and_makes_no_markup_of_words(practice: Practice, era: Era) -> None:
    async with showing(practice, era) as client:
        [page] = (await client.read_resource(RECORD)).contents
    assert isinstance(page, TextResourceContents)
    assert page.mime_type == APP_MIME_TYPE
    assert not re.search(r"https?://|innerHTML|insertAdjacentHTML|document\.write|\beval\(", page.text)
    assert len(page.text.encode()) < 20_000
