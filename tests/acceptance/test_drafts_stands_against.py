"""A draft that meets a withdrawn order is told what stands in its place, and first."""

from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import count
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio

NUMBERS = count(1)


@pytest.fixture(scope="module")
async def clinic(standing: Installation) -> AsyncIterator[Assistant]:
    """One client on each store; each test takes a subject of its own."""
    async with in_a_task_of_its_own(standing.client()) as connected:
        yield connected


async def told(client: Assistant, who: str, relation: str, said: str, **more: object) -> None:
    fact = {"relation": relation, "object": said, "evidence": said, **more}
    stored = await client.call(
        "memory_remember", text=said, subject=who, subject_name=f"Person Number {who.upper()}", facts=[fact]
    )
    assert {each["verdict"] for each in stored["results"]} == {"stored"}, stored


async def found(client: Assistant, who: str, draft: str) -> Sequence[Mapping[str, Any]]:
    checked = await client.call("memory_check_text", text=draft, subject=who)
    findings: Sequence[Mapping[str, Any]] = checked["findings"]
    return findings


@pytest.mark.parametrize(
    ("old", "new", "draft"),
    [
        (
            "call only on tuesday evenings, at the neighbour's",
            "tuesday evenings are not safe now",
            "Call Person at the neighbour's this Tuesday evening with the result.",
        ),
        (
            "text only on saturday afternoons",
            "saturday afternoons are no good any more",
            "Text them on Saturday with the new time.",
        ),
        (
            "visit by the back door after six",
            "nobody may use the back door, he watches it",
            "Visit after six by way of the garden.",
        ),
    ],
)
async def test_what_stands_against_a_withdrawn_order_is_found_with_it_and_first(
    clinic: Assistant, old: str, new: str, draft: str
) -> None:
    who = f"w{next(NUMBERS)}"
    await told(clinic, who, "HAS_PRECAUTION", old)
    await told(clinic, who, "HAS_PRECAUTION", new, corrects=old)

    findings = await found(clinic, who, draft)

    messages = [finding["message"].casefold() for finding in findings]
    withdrawn = next(place for place, message in enumerate(messages) if old[:20] in message)
    stands = [
        place for place, message in enumerate(messages) if new[:20] in message and not message.startswith("disputed")
    ]
    assert stands, messages
    assert stands[0] < withdrawn


async def test_an_order_about_something_else_is_no_finding(clinic: Assistant) -> None:
    who = f"w{next(NUMBERS)}"
    await told(clinic, who, "HAS_PRECAUTION", "call only on tuesday evenings")
    await told(
        clinic, who, "HAS_PRECAUTION", "tuesday evenings are not safe now", corrects="call only on tuesday evenings"
    )
    await told(clinic, who, "HAS_PRECAUTION", "thicken all fluids to level two")

    findings = await found(clinic, who, "Call Person this Tuesday evening with the result.")

    assert not any("thicken" in finding["message"] and finding["quote"] for finding in findings)
