"""What the owner asks to forget goes from every record for which the same text was told, over MCP.

Issue "In a model's hands", point 6: one text names several people and is told once for each of them.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import fact

pytestmark = pytest.mark.anyio
NOTE = "HAS_NOTE"
SECRET, CHOIR, ROWS = "Osmo means to sell the mill", "Our choir sings on 9 May", "Pirkko rows on Sundays"
SAID = f"{CHOIR}. {SECRET}. {ROWS}. Pirkko must not hear of it."
WANTED = {"change": "entered_in_error", "reason": "asks to forget it", "confirm": True}


@pytest.fixture(scope="module")
async def owner(standing: Installation) -> AsyncIterator[Assistant]:
    async with AsyncExitStack() as stack:
        own = standing.with_settings(schema="personal", single_subject="me", data_dir=str(standing.folder / "forgot"))
        yield await stack.enter_async_context(in_a_task_of_its_own(own.client()))


async def told(owner: Assistant, words: str, **who: str) -> str:
    given = [fact(NOTE, words, words)]
    out = await owner.call("memory_remember", text=SAID, facts=given, conversation_id="home", **who)
    return str(out["results"][0]["fact_id"])


async def test_forgetting_withdraws_the_same_words_of_the_same_text_everywhere(owner: Assistant) -> None:
    await told(owner, CHOIR)
    id_ = await told(owner, SECRET, subject="osmo", subject_name="Osmo")
    await told(owner, ROWS, subject="pirkko", subject_name="Pirkko")
    await owner.call("memory_remember", text="Please forget what I said about Osmo and the mill.", facts=[])

    out = await owner.call("memory_change_fact", fact_id=id_, subject="osmo", **WANTED)

    assert out["outcome"] == "changed"
    assert "me" in out["note"]
    assert "pirkko" in out["note"]
    for subject in ("me", "osmo", "pirkko"):
        query = "What about the mill that Osmo sells?"
        found = await owner.call("memory_search", query=query, subject=subject)
        block = await owner.call("memory_build_context", query=query, subject=subject, conversation_id="home")
        assert "sell the mill" not in str(found["hits"])
        assert "sell the mill" not in block["block"].replace(query, "")
        assert "forget what I said about Osmo" not in f"{found['hits']} {block['block']}"
    rows = f"{ROWS}. Pirkko must not hear of it."
    listed = [await owner.call("memory_list_facts", subject=each) for each in ("me", "pirkko")]
    assert [[each["evidence"] for each in page["facts"]] for page in listed] == [[CHOIR], [rows]]


async def test_the_words_alone_are_a_remedy_where_the_statement_states_more(owner: Assistant) -> None:
    said = "Tuire paints the fence green. The neighbour's well is dry."
    given = [fact(NOTE, "the fence", "Tuire paints the fence green")]
    out = await owner.call("memory_remember", text=said, facts=given)

    refused = await owner.refused("memory_change_fact", fact_id=out["episode_id"], **WANTED)
    gone = await owner.call("memory_change_fact", fact_id="The neighbour's well is dry", **WANTED)

    assert "the words alone" in refused
    assert gone["outcome"] == "changed"
