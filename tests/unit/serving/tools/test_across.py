"""The tool that holds a party against everybody: who is offered it, and what a caller without the right is told."""

import pytest

from r_memory.config.settings import Settings
from r_memory.serving.tools import access
from r_memory.serving.tools.offer import Offer
from tests.unit.serving.tools.practice import Practice, client_of, refused

pytestmark = pytest.mark.anyio
TOOL = "memory_check_across"


@pytest.mark.parametrize(
    ("schema", "offered"), [("clinical", False), ("personal", False), ("law", True), ("finance", True)]
)
def test_only_domains_that_live_on_it_offer_a_look_across_people(schema: str, offered: bool) -> None:
    assert Offer().of(Settings(schema=schema)).across is offered


async def test_a_schema_without_such_relations_lists_no_such_tool(practice: Practice) -> None:
    async with client_of(practice) as client:
        assert TOOL not in {tool.name for tool in (await client.list_tools()).tools}


async def test_a_token_without_its_scope_is_refused_and_told_which(monkeypatch: pytest.MonkeyPatch) -> None:
    granted = access.token_of("clerk", "practice", [access.READ, access.WRITE])
    monkeypatch.setattr(access, "caller", lambda: granted)
    async with client_of(Practice(offer=Offer(across=True))) as client:
        told = await refused(client, TOOL, party="Globex")
    assert "lacks the scope memory:across" in told


async def test_a_tool_that_the_schema_has_no_relation_for_says_how_to_allow_it() -> None:
    async with client_of(Practice(offer=Offer(across=True))) as client:
        told = await refused(client, TOOL, party="Globex")
    assert "across: true" in told
