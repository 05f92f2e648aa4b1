"""Skills and Apps: what is offered is what is read, and what is not shipped is not claimed."""

from pathlib import Path

import pytest
from mcp.types import TextResourceContents

from r_memory.serving.tools.skilled import FILE, URI
from tests.unit.serving.tools.practice import Era, Practice, client_of

pytestmark = pytest.mark.anyio
PLUGIN = Path(__file__).parents[4] / "plugin" / "skills" / "r-memory" / "SKILL.md"


@pytest.mark.proves("M-57")
async def test_the_skill_can_be_read_and_is_the_one_of_the_plugin(practice: Practice, era: Era) -> None:
    """Its list is proved by the Inspector: scripts/conformance, `skills`."""
    async with client_of(practice, era) as client:
        [content] = (await client.read_resource(URI)).contents
        declared = client.server_capabilities
    assert isinstance(content, TextResourceContents)
    assert content.text == PLUGIN.read_text(encoding="utf-8") == FILE.read_text(encoding="utf-8")
    assert declared is not None
    # Handshake-era capabilities have no place for extensions.
    assert era == "legacy" or "io.modelcontextprotocol/skills" in (declared.extensions or {})


@pytest.mark.proves("M-58")
async def test_no_app_is_shipped_and_none_is_claimed(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        tools = (await client.list_tools()).tools
        resources = (await client.list_resources()).resources
        declared = client.server_capabilities
    assert [tool.name for tool in tools if any("ui" in key for key in tool.meta or {})] == []
    assert [resource.uri for resource in resources if str(resource.uri).startswith("ui:")] == []
    assert declared is not None
    assert [name for name in declared.extensions or {} if "ui" in name or "app" in name] == []
