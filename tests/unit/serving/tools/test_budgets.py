"""What a client reads before the first call, for every shipped domain: what it says, and how much room it takes."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from r_memory.config.files import Files
from r_memory.config.settings import Settings
from r_memory.domain.card import LONGEST
from r_memory.serving.tools.offer import Offer
from r_memory.serving.tools.surface import instructions
from r_memory.text.tokens import count
from r_memory_lab import describing

pytestmark = pytest.mark.anyio
DOMAINS = sorted(
    name.removeprefix("schema/").removesuffix(".yaml")
    for name in Files().listing("schema", ".yaml")
    if name.count("/") == 1
)
TOKENS = 2_600
"""Of instructions, names, descriptions and inputs without the card, as `text.tokens` estimates o200k_base."""
REMEMBER = "memory_remember"


@cache
def offered(domain: str, *, all_flags: bool = False, single: str = "") -> Offer:
    return Offer(audit=all_flags, hooks=all_flags).of(Settings(schema=domain, single_subject=single))


def size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def inputs_of(tools: Any, card: str = "") -> list[dict[str, Any]]:  # noqa: ANN401 - tools as on the wire
    inputs = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    return [{**tool, "description": tool["description"].replace(card, "")} for tool in inputs] if card else inputs


@pytest.mark.proves("M-19")
@pytest.mark.parametrize("domain", DOMAINS)
async def test_the_list_is_small_enough_to_leave_room_for_the_other_tools(domain: str) -> None:
    """With every flag on; a domain that looks across people has its tool in the place of the one that hooks call."""
    offer = offered(domain, all_flags=True)
    told = await describing.listed(offer)
    assert len(told.tools) <= 12 + offer.across
    assert len((await describing.listed(replace(offer, hooks=False))).tools) <= 12
    assert len(offer.card) <= LONGEST
    assert size(inputs_of(told.tools, offer.card)) <= 12_000
    assert size(list(told.tools)) <= 24_000
    assert [tool["name"] for tool in told.tools if len(tool["description"]) > 2_000] == []


@pytest.mark.parametrize("domain", DOMAINS)
async def test_a_model_pays_few_tokens_for_tools_and_instructions(domain: str) -> None:
    offer = offered(domain)
    told = await describing.listed(offer)
    tools = [json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in inputs_of(told.tools, offer.card)]
    assert count(told.instructions) + sum(map(count, tools)) <= TOKENS


@pytest.mark.parametrize("domain", DOMAINS)
async def test_the_tool_that_takes_facts_says_which_there_are(domain: str) -> None:
    offer = offered(domain)
    told = await describing.listed(offer)
    texts = {tool["name"]: tool["description"] for tool in told.tools}
    assert offer.card
    assert texts[REMEMBER].endswith(offer.card)
    assert [name for name, text in texts.items() if name != REMEMBER and offer.card in text] == []
    assert "{" not in "".join(texts.values())


@pytest.mark.proves("M-48")
@pytest.mark.parametrize("domain", DOMAINS)
async def test_instructions_ask_the_caller_to_read(domain: str) -> None:
    offer = offered(domain)
    text = instructions(offer)
    assert 200 <= len(text) <= 2_000
    for asked in (
        "Leave the subject out" if offer.single_subject else "One call for each person",
        "Read what people say yourself",
        "`facts: []`: you read the words and they state nothing",
        "read its `block`, then answer",
        "Nothing is deleted",
    ):
        assert asked in text


async def test_one_persons_memory_asks_for_no_subject() -> None:
    text = instructions(offered("clinical", single="me"))
    assert "Leave the subject out" in text
    assert "name the subject" not in text
    assert len(text) <= 2_000
