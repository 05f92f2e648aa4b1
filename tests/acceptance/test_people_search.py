"""What was told is found again, by whoever asks for it in other words, in a conversation or not."""

import pytest

from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio
ANN = {"subject": "P1", "subject_name": "Ann Lee"}
NOTES = [
    ("I prefer tabs over spaces in every project.", "2026-03-01T10:00:00Z"),
    ("The release freeze begins on 20 December.", "2026-03-02T10:00:00Z"),
    ("She keeps her spare key with the neighbour.", "2026-03-03T10:00:00Z"),
    ("The neighbour moved out, the spare key is with the caretaker.", "2026-03-04T10:00:00Z"),
]


async def test_every_utterance_is_found_with_or_without_a_conversation_newest_first_among_equals(
    installation: Installation,
) -> None:
    async with installation.client() as assistant:
        for text, said_at in NOTES:
            await assistant.call("memory_remember", text=text, facts=[], said_at=said_at, **ANN)
        talk = {"conversation_id": "visit 7", "subject": "P1"}
        await assistant.call("memory_remember", text="My caretaker is called Bruno.", facts=[], **talk)
        await assistant.call(
            "memory_remember", text="Which key fits the shed?", facts=[], reply="The brass one.", **talk
        )
        tabs, freeze, key, bruno, shed = [
            (await assistant.call("memory_search", query=query, subject="P1"))["hits"]
            for query in ("tabs or spaces", "release freeze December", "spare key neighbour", "Bruno", "shed")
        ]
        only = await assistant.call("memory_search", query="spare key neighbour", subject="P1", kinds=["statement"])
    assert (tabs[0]["kind"], tabs[0]["text"]) == ("statement", NOTES[0][0])
    assert (freeze[0]["text"], freeze[0]["source"]) == (NOTES[1][0], "user")
    # Both hold every word that was asked for: the newer first.
    assert [hit["text"] for hit in key[:2]] == [NOTES[3][0], NOTES[2][0]]
    assert [hit["text"] for hit in only["hits"][:2]] == [NOTES[3][0], NOTES[2][0]]
    assert {hit["kind"] for hit in only["hits"]} == {"statement"}
    assert ("Bruno" in bruno[0]["text"], bruno[0]["source"]) == (True, "user, visit 7")
    # A turn that was answered is one hit, not two.
    assert [hit["kind"] for hit in shed if "shed" in hit["text"]] == ["turn"]
