"""Whom a call is about is never guessed (Z10, RM-20)."""

import pytest

from tests.acceptance.conftest import Assistant, Installation

pytestmark = pytest.mark.anyio
ALLERGIC = "I am allergic to latex."
QUERY = "What should I prescribe?"


@pytest.mark.proves("Z10", "A-14")
@pytest.mark.parametrize("tool", ["memory_remember", "memory_build_context", "memory_list_facts"])
async def test_a_call_without_subject_is_refused(assistant: Assistant, tool: str) -> None:
    words = {"memory_remember": {"text": ALLERGIC}, "memory_build_context": {"query": QUERY}}.get(tool, {})
    for given in ({}, {"subject": ""}):
        told = await assistant.refused(tool, **given, **words)
        assert "no subject was given" in told
        assert "name the Patient by id" in told


@pytest.mark.proves("RM-20", "Z10")
async def test_an_unknown_subject_is_refused_with_those_that_are_near(assistant: Assistant) -> None:
    await assistant.call("memory_remember", text="Hello.", subject="SU-100", subject_name="Jonathan Swift")
    told = await assistant.refused("memory_build_context", query=QUERY, subject="Jonathan Swiff")
    assert "no Patient has the id or name 'Jonathan Swiff'; near ones: SU-100 (Jonathan Swift)" in told
    assert "call again with a known id or exact name" in told
    assert "declare" not in told
    stored = await assistant.refused("memory_remember", text=ALLERGIC, subject="Jonathan Swiff")
    assert "near ones: SU-100 (Jonathan Swift)" in stored


@pytest.mark.proves("RM-20", "Z10")
async def test_two_of_one_name_are_both_listed_and_nothing_is_stored(assistant: Assistant) -> None:
    for id_ in ("SU-201", "SU-202"):
        known = ["SU-201"] if id_ == "SU-202" else []
        await assistant.call("memory_remember", text="Hello.", subject=id_, subject_name="Ann Twin", another_than=known)
    told = await assistant.refused("memory_remember", text=ALLERGIC, subject="ann twin")
    assert "'ann twin' may mean 2 subjects: SU-201 (Ann Twin), SU-202 (Ann Twin)" in told
    assert "call again with one of: 'SU-201', 'SU-202'" in told
    for id_ in ("SU-201", "SU-202"):
        assert (await assistant.call("memory_list_facts", subject=id_))["total"] == 0


@pytest.mark.proves("Z10", "RM-20")
@pytest.mark.parametrize("name", ["Zed Quill", "Eve Mallory"])
async def test_nobody_can_be_declared_in_front_of_a_patient(assistant: Assistant, name: str) -> None:
    zed = {"subject": f"SU-40{len(name)}", "subject_name": f"Zed Quill {len(name)}"}
    await assistant.call("memory_remember", text=ALLERGIC, **zed)
    refused = await assistant.refused(
        "memory_record_facts",
        text="I take aspirin.",
        facts=[{"relation": "TAKES", "object": "aspirin", "evidence": "take aspirin"}],
        subject=zed["subject_name"],
        subject_name=zed["subject_name"] if name == "Zed Quill" else name,
    )
    context = await assistant.call("memory_build_context", query=QUERY, subject=zed["subject_name"])
    assert f"would mean {zed['subject']} ({zed['subject_name']}) as well" in refused
    assert (context["state"], context["subject_id"]) == ("FOUND", zed["subject"])


@pytest.mark.proves("Z18")
async def test_a_key_that_comes_back_with_other_words_is_an_error(assistant: Assistant) -> None:
    gus = {"subject": "SU-500", "idempotency_key": "1"}
    await assistant.call("memory_remember", text=ALLERGIC, subject_name="Gus Key", **gus)
    told = await assistant.refused("memory_remember", text="I am allergic to eggs.", **gus)
    again = await assistant.call("memory_remember", text=ALLERGIC, **gus)
    assert "the idempotency key '1' was used before with other words; nothing of these was stored" in told
    assert [result["verdict"] for result in again["results"]] == ["duplicate"]


@pytest.mark.proves("Z10")
async def test_an_id_given_with_another_name_is_refused_with_both(assistant: Assistant) -> None:
    await assistant.call("memory_remember", text="Hello.", subject="SU-300", subject_name="Mark Twain")
    told = await assistant.refused("memory_remember", text=ALLERGIC, subject="SU-300", subject_name="Emily Dickinson")
    assert "'SU-300' is recorded as 'Mark Twain', not 'Emily Dickinson'" in told
    assert (await assistant.call("memory_list_facts", subject="SU-300"))["total"] == 0


async def test_a_personal_installation_needs_no_subject(embedded: Installation) -> None:
    async with embedded.with_settings(single_subject="me").client() as assistant:
        await assistant.call("memory_remember", text=ALLERGIC)
        context = await assistant.call("memory_build_context", query=QUERY)
    assert (context["state"], context["subject_id"]) == ("FOUND", "me")
