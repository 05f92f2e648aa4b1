"""The main job, end to end: told once, talked over, the server gone, days later still known."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio

INTAKE = "I am severely allergic to Penicillin."
REQUEST = "Patient John Doe has tested positive for Strep. Recommend the standard first-line antibiotic."
OTHERS = (
    ("P02", "Maria Lopez", "She has a pacemaker."),
    ("P03", "Wei Chen", "No known drug allergies."),
    ("P04", "Omar Haddad", "Codeine makes me nauseous."),
    ("P05", "Ida Berg", "My mother is allergic to penicillin."),
)


async def tell(assistant: Assistant) -> None:
    """The intake of John Doe, and what others said afterwards."""
    await assistant.call(
        "memory_remember",
        text=INTAKE,
        subject="JD001",
        subject_name="John Doe",
        speaker="patient",
        said_at="2026-11-19T09:30:00Z",
    )
    for number in range(3):
        for id_, name, words in OTHERS:
            await assistant.call(
                "memory_remember", text=words, subject=id_, subject_name=name, conversation_id=f"c{number}"
            )
        await assistant.call("memory_remember", text=f"The weather is fine today, {number}.", subject="JD001")


@pytest.fixture(scope="module")
async def practice(standing: Installation) -> AsyncIterator[Assistant]:
    """A client of the server that followed the one to which everything was told, in the other era."""
    async with in_a_task_of_its_own(standing.client()) as assistant:
        await tell(assistant)
    async with in_a_task_of_its_own(standing.client("legacy")) as assistant:
        yield assistant


@pytest.mark.proves("RM-1", "RM-10", "RM-13", "RM-14", "RM-16", "RM-20", "Z20")
async def test_an_allergy_told_once_stands_first_after_other_talk_and_a_restart(practice: Assistant) -> None:
    context = await practice.call("memory_build_context", detail=True, query=REQUEST, subject="John Doe")
    lines = context["block"].splitlines()
    assert lines[0] == "[R-MEMORY CONTEXT]:"
    assert lines[1].startswith("Subject: John Doe (Patient JD001). Checked ")
    assert "Action: MED_ORDER" in lines[1]
    assert lines[2].startswith("CRITICAL ALLERGY: John Doe is allergic to Penicillin (Severity: ")
    assert lines[3].startswith('  said 2026-11-19 by patient: "')
    assert context["block"].endswith(f"[END R-MEMORY CONTEXT]\n[QUERY]:\n{REQUEST}")
    assert "MED_ORDER" in context["intents"]
    assert (context["state"], context["complete"]) == ("FOUND", True)


@pytest.mark.proves("RM-9", "Z10")
async def test_facts_of_others_never_stand_in_the_block(practice: Assistant) -> None:
    john = await practice.call("memory_build_context", detail=True, query=REQUEST, subject="JD001")
    maria = await practice.call("memory_build_context", detail=True, query="Order an MRI of the brain.", subject="P02")
    assert [line["fact_id"] for line in john["lines"]] == [john["lines"][0]["fact_id"]]
    assert "acemaker" not in john["block"]
    assert "Penicillin" not in maria["block"].split("[END")[0]
    assert "acemaker" in maria["block"].splitlines()[2]


@pytest.mark.proves("RM-21", "Z06", "Z14")
async def test_none_asserted_not_asked_and_a_relatives_allergy_are_told_apart(practice: Assistant) -> None:
    denied = await practice.call("memory_build_context", detail=True, query=REQUEST, subject="P03")
    family = await practice.call("memory_build_context", detail=True, query=REQUEST, subject="P05")
    states = {checked["relation"]: checked["state"] for checked in denied["outcomes"]}
    assert states["HAS_ALLERGY_TO"] == "NONE-ASSERTED"
    assert states["HAS_IMPLANTS"] == "NOT-ASKED"
    assert {checked["relation"]: checked["state"] for checked in family["outcomes"]}["HAS_ALLERGY_TO"] == "NOT-ASKED"


@pytest.mark.proves("Z01", "RM-24")
async def test_a_member_of_the_class_is_matched_by_class(practice: Assistant) -> None:
    context = await practice.call(
        "memory_build_context", detail=True, query="Order Augmentin for him.", subject="JD001"
    )
    [line] = [line for line in context["lines"] if line["level"] == "critical"]
    assert line["match"] in {"ingredient", "class"}
    assert "bears on this request:" in context["block"]


@pytest.mark.proves("RM-9")
async def test_the_query_that_was_run_names_the_edges_of_the_action(practice: Assistant) -> None:
    context = await practice.call("memory_build_context", detail=True, query=REQUEST, subject="JD001")
    assert "HAS_ALLERGY_TO" in context["traversal"]
    assert "MATCH" in context["traversal"]
