"""One space never sees another's facts, names or ids, in any tool or error (rule 9 of the design)."""

import uuid

import pytest

from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


@pytest.mark.proves("Z10", "RM-20")
async def test_another_space_on_the_same_store_sees_nothing(installation: Installation) -> None:
    other = installation.with_settings(space=f"other-{uuid.uuid4().hex[:12]}")
    subject = {"subject": "SP-1", "subject_name": "Sam Hidden"}
    async with installation.client() as ours, other.client() as theirs:
        stored = await ours.call("memory_remember", text="I am allergic to penicillin.", **subject)
        fact_id = stored["results"][0]["fact_id"]
        by_id = await theirs.refused("memory_build_context", query="What can he take?", subject="SP-1")
        by_near_name = await theirs.refused("memory_list_facts", subject="Sam Hiden")
        await theirs.call("memory_remember", text="Hello.", **subject)
        listed = await theirs.call("memory_list_facts", subject="SP-1", statuses=["active", "entered_in_error"])
        history = await theirs.refused("memory_list_facts", subject="SP-1", fact_id=fact_id)
        context = await theirs.call("memory_build_context", query="What can he take?", subject="SP-1")
        still = await ours.call("memory_list_facts", subject="SP-1")
    assert "near ones" not in by_id + by_near_name
    assert "Sam Hidden" not in by_id + by_near_name
    assert (listed["total"], context["fact_ids"]) == (0, [])
    assert "no fact has the id" in history
    assert still["total"] == 1
