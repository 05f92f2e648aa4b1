"""Whole turns through the real server, on each store: what a talk leaves, what a restart keeps, and the way back."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.shell import Shell

pytestmark = pytest.mark.anyio
PAT = {"subject": "P1", "subject_name": "Pat Miller"}
TIM = {"subject": "P3", "subject_name": "Tim Moss"}
TALK = "visit-1"
ALLERGIC, NOTED = "I am severely allergic to penicillin.", "Noted, no penicillin for you."
SLIP = "The usual first choice is amoxicillin, 500 mg twice a day for ten days."


async def turn(assistant: Assistant, text: str, reply: str, **who: str) -> None:
    told = await assistant.call(
        "memory_remember", text=text, reply=reply, conversation_id=TALK, speaker="Pat", **(who or PAT)
    )
    assert (told["turn"] > 0, told.get("troubles", {})) == (True, {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Restarted:
    """A client of the server that followed the one to which two talks were told."""

    assistant: Assistant
    objections: Sequence[str]
    """What was said at once to the slip in the second talk."""


@pytest.fixture(scope="module")
async def restarted(standing: Installation) -> AsyncIterator[Restarted]:
    async with in_a_task_of_its_own(standing.client()) as assistant:
        await turn(assistant, ALLERGIC, NOTED)
        await turn(assistant, "My daughter plays the cello in Vienna.", "What a lovely instrument.")
        await turn(assistant, "The budget for the new bed is 900 euros.", "I keep 900 euros in mind.")
        await turn(assistant, ALLERGIC, NOTED, **TIM)
        told = await assistant.call(
            "memory_remember", text="What helps a sore throat?", reply=SLIP, conversation_id=TALK, **TIM
        )
    async with in_a_task_of_its_own(standing.client()) as assistant:
        yield Restarted(assistant=assistant, objections=told["objections"])


async def test_a_talk_is_remembered_beside_the_facts_and_survives_the_server(restarted: Restarted) -> None:
    assistant = restarted.assistant
    question = "Which instrument does my daughter play?"
    context = await assistant.call("memory_build_context", query=question, subject="P1", conversation_id=TALK)
    found = await assistant.call("memory_search", query="cello", subject="P1", kinds=["turn"])
    summary = await assistant.call("memory_get_summary", subject="P1", conversation_id=TALK)
    facts, talk = context["block"].split("[END R-MEMORY CONTEXT]")
    assert facts.startswith("[R-MEMORY CONTEXT]:")
    assert "CRITICAL ALLERGY: Pat Miller is allergic to Penicillin" in facts
    assert "cello" in talk
    assert "900 euros" in talk.split("[PREVIOUS TURN]:")[1]
    assert talk.endswith(f"[QUERY]:\n{question}")
    assert {section["part"] for section in context["sections"]} == {"summary", "memory", "previous"}
    assert all(section["tokens"] > 0 for section in context["sections"])
    assert "cello" in found["hits"][0]["text"]
    assert summary["covers_turns"] == [1, 2, 3]


async def test_an_answer_that_was_objected_to_stays_so_in_the_next_prompt_the_summary_and_the_export(
    restarted: Restarted, standing: Installation
) -> None:
    allergy = "CRITICAL ALLERGY: Tim Moss is allergic to Penicillin"
    assert allergy in restarted.objections[0]
    objected = f"(objected: {allergy}"
    context = await restarted.assistant.call(
        "memory_build_context", query="And for how long?", subject="P3", conversation_id=TALK
    )
    found = await restarted.assistant.call("memory_search", query="usual first choice", subject="P3")
    talk = context["block"].split("[END R-MEMORY CONTEXT]")[1]
    summary = talk.split("[CONVERSATION SUMMARY]:")[1].split("[PREVIOUS TURN]:")[0]
    assert "amoxicillin, 500 mg" not in summary
    assert objected in talk.split(SLIP)[0].splitlines()[-1]
    assert all(objected in item["text"] for item in found["hits"] if SLIP in item["text"])
    for form in ("json", "txt"):
        file = standing.folder / f"talk.{form}"
        export = ("conversation", "export", TALK, "--to", str(file), "--subject", "P3")
        assert (await asyncio.to_thread(Shell(installation=standing).run, *export)).returncode == 0
        assert objected in file.read_text(encoding="utf-8").split(SLIP)[0].splitlines()[-1]


async def test_a_rollback_takes_the_talk_back_and_leaves_the_fact(restarted: Restarted, standing: Installation) -> None:
    assistant, bob = restarted.assistant, {"subject": "P4", "subject_name": "Bob Undo"}
    await turn(assistant, "My daughter plays the cello in Vienna.", "What a lovely instrument.", **bob)
    await turn(assistant, ALLERGIC, NOTED, **bob)
    rollback = ("conversation", "rollback", TALK, "--subject", "P4", "--to", "1", "--yes")
    done = await asyncio.to_thread(Shell(installation=standing).run, *rollback)
    assert done.stdout == "1 item erased.\n"
    context = await assistant.call(
        "memory_build_context", query="Order amoxicillin.", subject="P4", conversation_id=TALK
    )
    assert "CRITICAL ALLERGY" in context["block"]
    assert "no penicillin for you" not in context["block"]
    assert "cello" in context["block"]


async def test_another_subject_of_the_same_conversation_name_sees_nothing(restarted: Restarted) -> None:
    await restarted.assistant.call("memory_remember", text="Hello.", subject="P2", subject_name="Sam Hill")
    context = await restarted.assistant.call(
        "memory_build_context",
        query="Which instrument does my daughter play?",
        subject="P2",
        conversation_id=TALK,
    )
    assert "cello" not in context["block"]
    assert context.get("sections", []) == []


@pytest.mark.proves("MIM-8", "SCM-33")
async def test_documents_stand_in_a_talk_about_their_subject_or_nobody_and_never_another_ones(
    installation: Installation,
) -> None:
    guide = "Swimming lessons take place in the old hall on Tuesdays. Bring a towel."
    async with installation.client() as assistant:
        await assistant.call("memory_remember", text="Hello.", **PAT)
        await assistant.call("memory_remember", text="Hello.", subject="P2", subject_name="Sam Hill")
        for name, text, about in (
            ("timetable.txt", guide, {}),
            ("pat.txt", "Pat takes swimming lessons with Mrs Lee.", {"subject": "P1"}),
            ("sam.txt", "Sam takes swimming lessons with Mr Stone.", {"subject": "P2"}),
        ):
            await assistant.call("memory_ingest_document", name=name, text=text, **about)
        asked = {"query": "What did the timetable say about the swimming lessons?", "subject": "P1"}
        first = await assistant.call("memory_build_context", conversation_id=TALK, **asked)
        for number in range(3):
            await turn(assistant, f"I had soup number {number}.", "Soup is good.")
        later = await assistant.call("memory_build_context", conversation_id=TALK, **asked)
        found = await assistant.call("memory_search", query="swimming lessons", subject="P1", kinds=["document"])
    for context in (first, later):
        assert "(Document timetable.txt, line 1," in context["block"]
        assert "on Tuesdays" in context["block"]
        assert "(Document pat.txt, line 1," in context["block"]
        assert "Stone" not in context["block"]
    sources = {hit["source"].split(",")[0] for hit in found["hits"]}
    assert sources == {"timetable.txt", "pat.txt"}
