"""Triples of the client's model are checked like everybody else's (RM-22, Z24)."""

import pytest

from tests.acceptance.conftest import Assistant

pytestmark = pytest.mark.anyio


@pytest.mark.proves("Z24", "RM-22")
async def test_bad_triples_are_listed_with_their_reason_and_good_ones_stored(assistant: Assistant) -> None:
    result = await assistant.call(
        "memory_record_facts",
        text="Morphine gives me hives, and I love bread.",
        subject="TR-1",
        subject_name="Tess One",
        facts=[
            {"relation": "HAS_ALLERGY_TO", "object": "morphine", "evidence": "Morphine gives me hives"},
            {"relation": "EATS", "object": "bread", "evidence": "I love bread"},
            {"relation": "HAS_ALLERGY_TO", "object": "latex", "evidence": "I am allergic to latex"},
        ],
    )
    rejected = [(each["relation"], each["object"]) for each in result["results"] if each["verdict"] == "rejected"]
    reasons = [each["reason"] for each in result["results"] if each["verdict"] == "rejected"]
    stored = [each["object"] for each in result["results"] if each["verdict"] == "stored"]
    assert rejected == [("EATS", "bread"), ("HAS_ALLERGY_TO", "latex")]
    assert "EATS" in reasons[0]
    assert "evidence" in reasons[1]
    assert stored == ["Morphine"]


@pytest.mark.proves("M-26")
async def test_triples_that_are_all_bad_are_an_error_and_the_words_are_kept(assistant: Assistant) -> None:
    told = await assistant.refused(
        "memory_record_facts",
        text="I love bread.",
        subject="TR-2",
        subject_name="Tess Two",
        facts=[{"relation": "EATS", "object": "bread", "evidence": "I love bread"}],
    )
    assert "All 1 facts were rejected: 1. " in told
    assert (await assistant.call("memory_list_facts", subject="TR-2"))["total"] == 0


async def test_triples_read_after_the_words_were_stored_are_stored_too(assistant: Assistant) -> None:
    words = "After the blue tablets, last spring, I looked like a football."
    await assistant.call("memory_remember", text=words, subject="TR-3", subject_name="Tess Three")
    result = await assistant.call(
        "memory_record_facts",
        text=words,
        subject="TR-3",
        facts=[
            {
                "relation": "HAS_ALLERGY_TO",
                "object": "blue tablets",
                "evidence": "After the blue tablets, last spring, I looked like a football",
            }
        ],
    )
    assert "stored" in [each["verdict"] for each in result["results"]]
    listed = await assistant.call("memory_list_facts", subject="TR-3")
    assert "blue tablets" in [fact["object"].casefold() for fact in listed["facts"]]


@pytest.mark.proves("M-23")
async def test_an_unknown_argument_is_refused_nested_or_not(assistant: Assistant) -> None:
    triple = {"relation": "HAS_ALLERGY_TO", "object": "latex", "evidence": "latex", "sure": True}
    nested = await assistant.refused(
        "memory_record_facts", text="latex", subject="TR-4", subject_name="Tess Four", facts=[triple]
    )
    misspelt = await assistant.refused("memory_list_facts", subject="TR-4", relation=["HAS_ALLERGY_TO"])
    assert "facts.0.sure: Extra inputs are not permitted" in nested
    assert "Unknown argument(s): relation. Allowed: " in misspelt
