"""A day that is asked about without a name, over MCP: what others have on it is named, and the verdict is never calm.

Issue "In a model's hands", points 2 and 7: the owner of a personal memory looks after others, and leaves them out.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import fact

pytestmark = pytest.mark.anyio
SAID = "Aunt Hedda has her cataract operation on 17 March 2027."
DATE = fact("HAS_DATE", "cataract operation", "cataract operation on 17 March 2027", attrs={"date": "17 March 2027"})
FREE = "I am away on Wednesday 17 March 2027; nothing is on that day."


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    async with AsyncExitStack() as stack:
        own = standing.with_settings(schema="personal", single_subject="me", data_dir=str(standing.folder / "days"))
        client = await stack.enter_async_context(in_a_task_of_its_own(own.client()))
        await client.call("memory_remember", text="My aunt is Hedda.", facts=[])
        await client.call("memory_remember", text=SAID, subject="hedda", subject_name="Hedda", facts=[DATE])
        yield client


@pytest.mark.parametrize("asked", ["Can I travel on 17 March 2027?", "What is on from 15 to 19 March 2027?"])
async def test_a_context_names_whoever_has_a_date_then(owner: Assistant, asked: str) -> None:
    block = (await owner.call("memory_build_context", query=asked))["block"]

    [line] = [line for line in block.splitlines() if "HAS A DATE THEN" in line]
    assert "Hedda" in line
    assert "ataract operation" in line
    assert "'hedda'" in line


async def test_a_draft_about_that_day_is_never_found_calm(owner: Assistant) -> None:
    checked = await owner.call("memory_check_text", text=FREE)

    assert checked["verdict"] != "nothing_found"
    assert any("ataract operation" in gap and "'hedda'" in gap for gap in checked["gaps"])


async def test_another_day_names_nobody(owner: Assistant) -> None:
    block = (await owner.call("memory_build_context", query="Can I travel on 18 April 2027?"))["block"]

    assert "HAS A DATE THEN" not in block


async def test_who_is_asked_about_too_is_not_named_again(owner: Assistant) -> None:
    both = await owner.call("memory_build_context", query="What is on 17 March 2027?", subjects=["me", "hedda"])
    checked = await owner.call("memory_check_text", text=FREE, subjects=["me", "hedda"])

    assert "HAS A DATE THEN" not in both["block"]
    assert "HAS A DATE THEN" not in str(checked["gaps"])


async def test_more_than_five_dates_are_counted(owner: Assistant) -> None:
    for number in range(6):
        said = f"The visit number {number} is on 2 May 2027."
        visit = fact("HAS_DATE", f"visit number {number}", said[4:-1], attrs={"date": "2 May 2027"})
        name = f"Guest {'abcdef'[number]}"
        await owner.call("memory_remember", text=said, subject=f"g{number}", subject_name=name, facts=[visit])

    block = (await owner.call("memory_build_context", query="Am I free on 2 May 2027?"))["block"]

    lines = [line for line in block.splitlines() if "HAS A DATE THEN" in line or "more dates then" in line]
    assert [line for line in lines if "HAVE 1 more" in line]
    assert len(lines) == 6


async def test_who_is_named_in_the_call_and_in_the_draft_is_checked_once(owner: Assistant) -> None:
    draft = "Hedda goes shopping on 17 March 2027."

    checked = await owner.call("memory_check_text", text=draft, subject="me", subjects=["hedda"])

    assert checked["people"] == ["hedda"]
    assert len(checked["gaps"]) == len(set(checked["gaps"]))
    assert any("ataract operation" in found["message"] for found in checked["findings"])
