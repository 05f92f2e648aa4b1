"""Whatever somebody says over a life, what is critical stays in front of every request, and no answer is too long."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, text_of

pytestmark = pytest.mark.anyio
ALLERGIC = "I am severely allergic to penicillin."
REQUEST = "Recommend the standard first-line antibiotic for strep throat."
LINE = "CRITICAL ALLERGY: Ada Marsh is allergic to Penicillin (Severity: Anaphylaxis)."
LONGEST = 24_000
"""Characters of a result that hosts pass on whole."""
SHORT = 6_000
"""Characters of the context of somebody with one risk and a long diary."""
DAYS = (
    "Blood pressure {high} over {low} on the morning of day {day}.",
    "Porridge for breakfast, then the garden, on day {day}.",
    "The wound on my hip looks a bit low on day {day}.",
    "Took the tablets with breakfast on day {day} as usual.",
    "The baby has a cold, my daughter rang on day {day}.",
    "A letter from the council came on day {day}.",
)


def diary(entries: int) -> Iterator[str]:
    """Entries as somebody writes them who is asked to keep a diary; no two alike."""
    for day in range(entries):
        line = DAYS[day % len(DAYS)]
        yield line.format(high=110 + day % 47, low=60 + day % 31, day=day)


async def every_page(assistant: Assistant, subject: str) -> tuple[list[str], list[str]]:
    """Ids of the facts and of the statements that wait, over every page of the list."""
    facts: list[str] = []
    waiting: list[str] = []
    cursor = ""
    while True:
        result = await assistant.client.call_tool("memory_list_facts", {"subject": subject, "cursor": cursor})
        assert not result.is_error, text_of(result)
        assert len(text_of(result)) <= LONGEST
        page: Mapping[str, Any] = result.structured_content or {}
        facts += [each["fact_id"] for each in page["facts"]]
        waiting += [each["episode_id"] for each in page.get("pending", [])]
        if not (cursor := page["next_cursor"]):
            return facts, waiting


async def told(assistant: Assistant, tool: str, **arguments: object) -> Mapping[str, Any]:
    """The structured result of a call that must succeed and be of bearable length."""
    result = await assistant.client.call_tool(tool, dict(arguments))
    assert not result.is_error, text_of(result)
    assert len(text_of(result)) <= LONGEST
    content: Mapping[str, Any] = result.structured_content or {}
    return content


@pytest.mark.proves("Z19", "RM-17", "M-30")
async def test_a_diary_of_three_hundred_entries_leaves_the_allergy_first_in_every_context(
    embedded: Installation,
) -> None:
    """Found by attack (S5): from 250 entries on, every context of that person was an error."""
    async with embedded.client() as assistant:
        await assistant.call("memory_remember", text=ALLERGIC, subject="P1", subject_name="Ada Marsh")
        waits = 0
        for entry in diary(300):
            waits += (await assistant.call("memory_remember", text=entry, subject="P1"))["pending"]
        result = await assistant.client.call_tool("memory_build_context", {"query": REQUEST, "subject": "P1"})
        checked = await told(assistant, "memory_check_text", text="Start amoxicillin 500 mg.", subject="P1")
        asked = await told(assistant, "memory_remember", text="Can I take amoxicillin for my throat?", subject="P1")
        _, waiting = await every_page(assistant, "P1")
    assert not result.is_error, text_of(result)
    assert len(text_of(result)) <= SHORT
    assert result.structured_content is not None
    block = result.structured_content["block"]
    assert block.splitlines()[2] == LINE
    assert "more unread" in block
    assert "call memory_list_facts" in block
    assert checked["verdict"] == "conflict"
    assert LINE in asked["block"]
    assert waits > 0
    assert len(waiting) == len(set(waiting)) >= waits


@pytest.mark.proves("Z19", "RM-17", "M-30")
@pytest.mark.parametrize(
    "text",
    ["I am allergic to " + "non-" * 10_000, "I am allergic to " + '"\\' * 4_000, "Penicillin. " * 2_000],
    ids=["one-word", "escapes", "one-name"],
)
async def test_one_unread_text_of_any_length_silences_no_context(assistant: Assistant, text: str) -> None:
    """Found by attack (S5): one text of 24,000 characters that waits, and there was never a context again."""
    who = {"subject": f"T{len(text)}", "subject_name": f"Ada Marsh {len(text)}"}
    await told(assistant, "memory_remember", text=ALLERGIC, **who)
    await told(assistant, "memory_remember", text=text, subject=who["subject"])

    context = await told(assistant, "memory_build_context", query=REQUEST, subject=who["subject"])
    await told(assistant, "memory_check_text", text="Start amoxicillin 500 mg.", subject=who["subject"])
    await every_page(assistant, who["subject"])

    assert "CRITICAL ALLERGY" in context["block"].splitlines()[2]
    assert "Penicillin" in context["block"].splitlines()[2]


@pytest.mark.proves("Z19", "RM-17", "M-30")
async def test_a_letter_of_three_hundred_unread_risks_is_shown_as_far_as_it_goes_and_can_be_read_on(
    assistant: Assistant,
) -> None:
    """Found by attack (S5): what may be a risk is never a mere number, so the answer has a first page."""
    sentences = [f"She had a reaction to the tablets of visit {number}, name unknown." for number in range(300)]
    await told(assistant, "memory_remember", text=ALLERGIC, subject="L1", subject_name="Ada Marsh Lee")
    await told(assistant, "memory_ingest_document", name="letter.txt", text="\n".join(sentences), subject="L1")

    context = await told(assistant, "memory_build_context", query=REQUEST, subject="L1")
    facts, _ = await every_page(assistant, "L1")

    assert "Ada Marsh Lee is allergic to Penicillin" in context["block"].splitlines()[2]
    assert facts
    assert "call memory_list_facts" in context["block"]
