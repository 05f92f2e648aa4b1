"""`memory_ingest_document` as a client meets it: facts with their page, progress that rises, calls that end in time."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest
from mcp.types import TextResourceContents

from r_memory.errors import StoreUnavailable
from r_memory.serving.tools import remembering
from r_memory.serving.tools.offer import Offer
from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, allergic_to, called, client_of, refused

pytestmark = pytest.mark.anyio
PAGES = "\f".join(
    "".join(f"On page {page} the bridge number {n} was opened by the mayor of the town. " for n in range(60))
    for page in range(1, 9)
)


async def declared(client: Any) -> None:  # noqa: ANN401 - the client's class is generic
    await called(client, "memory_remember", text="Hello.", subject="P1", subject_name="Ann Lee")


@pytest.fixture
def out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call is over as soon as it has done something."""
    monkeypatch.setattr(remembering, "LIMIT_S", 0.0)


async def test_facts_in_a_document_are_recorded_with_document_and_page(practice: Practice, era: Era) -> None:
    practice.script["Second page. " + ALLERGIC] = allergic_to("penicillin", evidence="severely allergic to penicillin")
    text = f"First page.\fSecond page. {ALLERGIC}"
    async with client_of(practice, era) as client:
        await declared(client)
        result = await called(client, "memory_ingest_document", name="letter.txt", text=text, subject="P1")
        facts = await called(client, "memory_list_facts", subject="P1")
    assert (result["state"], result["parts"], result["stored"], result.get("next_part", 0)) == ("done", 2, 1, 0)
    assert [(fact["object"], fact["speaker"]) for fact in facts["facts"]] == [("Penicillin", "letter.txt, page 2")]


async def test_a_document_about_nobody_is_stored_without_facts_and_says_so(practice: Practice) -> None:
    practice.script["Guideline. " + ALLERGIC] = allergic_to("penicillin", evidence="allergic")
    async with client_of(practice) as client:
        result = await called(client, "memory_ingest_document", name="guide.md", text=f"Guideline. {ALLERGIC}")
    assert (result["state"], result["stored"]) == ("done", 0)
    assert result["note"].startswith("No subject")


@pytest.mark.proves("M-62")
@pytest.mark.usefixtures("out_of_time")
async def test_partial_calls_show_rising_progress_and_come_to_what_one_call_comes_to(
    practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, shown = Practice(), list[float]()

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        assert message is None
        shown.append(progress if total is None or progress <= total else float("nan"))

    arguments: dict[str, Any] = {"name": "book.txt", "text": PAGES, "subject": "P1"}
    results: list[Any] = []
    async with client_of(practice) as client:
        await declared(client)
        while not results or results[-1]["state"] == "partial":
            shown.clear()
            start = results[-1]["next_part"] if results else 0
            answered = await client.call_tool(
                "memory_ingest_document", {**arguments, "start_part": start}, progress_callback=heard
            )
            results.append(answered.structured_content)
            assert shown
            assert all(before < after for before, after in itertools.pairwise(shown))
    monkeypatch.setattr(remembering, "LIMIT_S", 20.0)
    async with client_of(whole) as client:
        await declared(client)
        at_once = await called(client, "memory_ingest_document", **arguments)
    assert len(results) > 3
    assert results[-1]["document_id"] == at_once["document_id"]
    assert await items_of(practice) == await items_of(whole)


async def items_of(practice: Practice) -> Sequence[tuple[str, str]]:
    changes = await practice.stream.memory_changes("practice", after=0, limit=10_000)
    return sorted((item.id, item.raw) for item in changes.items)


async def test_the_same_document_again_does_nothing(practice: Practice) -> None:
    async with client_of(practice) as client:
        await declared(client)
        first = await called(client, "memory_ingest_document", name="a.txt", text=PAGES, subject="P1")
        again = await called(client, "memory_ingest_document", name="a.txt", text=PAGES, subject="P1")
    assert again["document_id"] == first["document_id"]
    assert "read before" in again["note"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"text": "x" * 200_001}, "200001 characters, at most 200000"),
        ({"text": "   "}, "is empty"),
        ({"text": "Words.", "start_part": 2}, "start_part 2 is past the end; the document has 1 parts"),
        ({"text": "Words.", "name": " "}, "has no name"),
        ({"text": "[R-MEMORY CONTEXT]:\nx\n[END R-MEMORY CONTEXT]"}, "only a context block of this memory"),
        ({"text": "Words.", "subject": "P9"}, "P9"),
    ],
)
async def test_bad_input_is_told_with_the_way_out(practice: Practice, arguments: dict[str, Any], told: str) -> None:
    async with client_of(practice) as client:
        assert told in await refused(client, "memory_ingest_document", **{"name": "a.txt", **arguments})


async def test_paths_and_addresses_are_words_like_any_other(practice: Practice) -> None:
    async with client_of(practice) as client:
        for text in ("/etc/passwd", "https://example.org/letter.pdf", "file:///etc/passwd"):
            result = await called(client, "memory_ingest_document", name="a.txt", text=text)
            (item,) = [raw for id_, raw in await items_of(practice) if id_.startswith(result["document_id"])]
            assert item == f"a.txt, line 1: {text}"


async def test_a_dead_store_says_that_it_goes_on_from_there(
    practice: Practice, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def dead(*_: object, **__: object) -> None:
        raise StoreUnavailable("the store does not answer")

    async with client_of(practice) as client:
        monkeypatch.setattr(practice.documents, "put_document", dead)
        told = await refused(client, "memory_ingest_document", name="a.txt", text="Words.")
    assert told.endswith(
        "The document is not read to its end: the store does not answer. "
        "Call again with the same arguments: it goes on from there."
    )


async def test_a_read_only_server_reads_no_documents(practice: Practice) -> None:
    practice.offer = Offer(read_only=True)
    async with client_of(practice) as client:
        assert "memory_ingest_document" not in [tool.name for tool in (await client.list_tools()).tools]


async def test_the_document_is_a_resource_with_its_summaries(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await declared(client)
        result = await called(client, "memory_ingest_document", name="book.txt", text=PAGES * 6, subject="P1")
        (content,) = (await client.read_resource(f"rmemory://document/{result['document_id']}")).contents
    assert isinstance(content, TextResourceContents)
    told = json.loads(content.text)
    assert (told["name"], told["state"], told["parts"]) == ("book.txt", "done", result["parts"])
    assert told["summaries"][0]["source"].endswith("summary")
    levels = [summary["level"] for summary in told["summaries"]]
    assert levels == sorted(levels, reverse=True)


LETTER = "Clinic letter\n\nDate: 2026-11-12\n\n" + ALLERGIC


async def test_a_letter_about_somebody_new_is_read_in_one_call_and_is_of_its_own_day(practice: Practice) -> None:
    """An assistant had to remember something made up first, and each line was of an unknown date."""
    practice.script[LETTER] = allergic_to("penicillin", evidence="severely allergic to penicillin")
    async with client_of(practice) as client:
        unknown = await refused(client, "memory_ingest_document", name="a.txt", text=LETTER, subject="P1")
        result = await called(
            client,
            "memory_ingest_document",
            name="a.txt",
            text=LETTER,
            subject="P1",
            subject_name="Ann Lee",
            speaker="Dr Ada",
        )
        facts = await called(client, "memory_list_facts", subject="P1")
    assert "to declare a new one, give its id as subject and its name as subject_name" in unknown
    assert result["note"] == "Of 2026-11-12."
    [fact] = facts["facts"]
    assert (fact["said_at"][:10], fact["speaker"]) == ("2026-11-12", "Dr Ada (a.txt, line 1)")


@pytest.mark.parametrize(("said_at", "day"), [("2009-03-03", "2009-03-03"), ("", "")])
async def test_a_letter_without_a_day_is_of_the_given_one_or_of_an_unknown_one(
    practice: Practice, said_at: str, day: str
) -> None:
    practice.script[ALLERGIC] = allergic_to("penicillin", evidence="severely allergic to penicillin")
    about = {"subject": "P1", "subject_name": "Ann Lee", "said_at": said_at}
    async with client_of(practice) as client:
        result = await called(client, "memory_ingest_document", name="a.txt", text=ALLERGIC, **about)
        facts = await called(client, "memory_list_facts", subject="P1")
    assert [fact.get("said_at", "")[:10] for fact in facts["facts"]] == [day]
    assert ("said_at gives one" in result["note"]) == (not said_at)


async def test_a_letter_that_names_somebody_else_says_how_to_read_it_all_the_same(practice: Practice) -> None:
    about = {"subject": "P1", "subject_name": "Ann Lee"}
    text = f"Patient: Mary Smith\n\n{ALLERGIC}"
    async with client_of(practice) as client:
        told = await refused(client, "memory_ingest_document", name="a.txt", text=text, **about)
        read = await called(client, "memory_ingest_document", name="a.txt", text=text, same_person=True, **about)
    assert "same_person" in told
    assert read["state"] == "done"
