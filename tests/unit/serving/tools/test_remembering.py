import pytest

from r_memory.domain.facts import Extraction, Proposal
from r_memory.errors import StoreUnavailable
from tests.scripted import ScriptedClassifier
from tests.unit.serving.tools.practice import ALLERGIC, Era, Practice, allergic_to, called, client_of, refused, text_of

pytestmark = pytest.mark.anyio


@pytest.mark.proves("RM-5")
async def test_a_statement_comes_back_with_each_fact_and_its_verdict(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        result = await called(client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee")
    [stored] = result["results"]
    assert {
        "verdict": "stored",
        "fact_id": stored["fact_id"],
        "relation": "HAS_ALLERGY_TO",
        "object": "Penicillin",
        "status": "active",
        "attrs": {"severity": "severe"},
    } == stored
    assert (result["subject_id"], result["subject_name"], result["pending"]) == ("P1", "Ann Lee", 0)
    assert "block" not in result


@pytest.mark.proves("Z36")
async def test_the_same_words_again_are_a_duplicate_and_one_fact(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee")
        again = await called(client, "memory_remember", text=ALLERGIC, subject="P1")
        listed = await called(client, "memory_list_facts", subject="P1")
    assert [result["verdict"] for result in again["results"]] == ["duplicate"]
    assert (listed["total"], listed["facts"][0]["observations"]) == (1, 1)


async def test_a_dry_run_says_what_would_be_stored_and_stores_nothing(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(client, "memory_remember", text="Good morning.", subject="P1", subject_name="Ann Lee")
        dry = await called(client, "memory_remember", text=ALLERGIC, subject="P1", dry_run=True)
        listed = await called(client, "memory_list_facts", subject="P1")
    assert ([result["verdict"] for result in dry["results"]], dry["dry_run"], listed["total"]) == (["stored"], True, 0)


async def test_a_statement_that_also_asks_comes_back_with_the_block_that_holds_it() -> None:
    both = f"{ALLERGIC} Which antibiotic may I take?"
    script = {both: allergic_to("penicillin", evidence="allergic to penicillin")}
    practice = Practice(script=script, classifier=ScriptedClassifier("MED_ORDER"))
    async with client_of(practice) as client:
        result = await called(client, "memory_remember", text=both, subject="P1", subject_name="Ann Lee")
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Penicillin" in result["block"]
    assert result["block"].endswith(f"[QUERY]:\n{both}")


async def test_what_only_looks_like_small_talk_brings_no_block() -> None:
    practice = Practice(classifier=ScriptedClassifier("SMALL_TALK"))
    async with client_of(practice) as client:
        result = await called(client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee")
    assert "block" not in result


async def test_an_assistants_words_are_kept_and_are_no_evidence(practice: Practice) -> None:
    async with client_of(practice) as client:
        result = await called(
            client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee", role="assistant"
        )
    assert (result["results"], bool(result["episode_id"])) == ([], True)


@pytest.mark.proves("Z23")
async def test_our_own_block_in_a_text_is_left_out_and_the_rest_is_stored(practice: Practice) -> None:
    block = "[R-MEMORY CONTEXT]:\nCRITICAL ALLERGY: Ann Lee is allergic to Latex.\n[END R-MEMORY CONTEXT]"
    async with client_of(practice) as client:
        result = await called(
            client, "memory_remember", text=f"{block}\n{ALLERGIC}", subject="P1", subject_name="Ann Lee"
        )
    assert [(kept["verdict"], kept.get("object")) for kept in result["results"]] == [
        ("stored", "Penicillin"),
        ("rejected", None),
    ]


@pytest.mark.proves("Z23", "M-26")
async def test_a_text_that_is_only_our_own_block_is_refused(practice: Practice) -> None:
    block = "[R-MEMORY CONTEXT]:\nCRITICAL ALLERGY: Ann Lee is allergic to Latex.\n[END R-MEMORY CONTEXT]"
    async with client_of(practice) as client:
        told = await refused(client, "memory_remember", text=block, subject="P1", subject_name="Ann Lee")
    assert "only a context block of this memory; call again with what somebody said" in told


def _allergy(drug: str) -> Proposal:
    [proposal] = allergic_to(drug, evidence="Many things").proposals
    return proposal


def fact(relation: str = "HAS_ALLERGY_TO", **more: object) -> dict[str, object]:
    return {"relation": relation, "object": "latex", "evidence": "latex", **more}


@pytest.mark.proves("Z24")
async def test_some_triples_rejected_is_a_success_with_reasons(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        result = await called(
            client,
            "memory_remember",
            text="She cannot stand latex.",
            subject="P1",
            subject_name="Ann Lee",
            facts=[fact(attrs={"severity": "mild", "since": 3, "sure": True}), fact("EATS")],
        )
    assert [(each["verdict"], each["relation"]) for each in result["results"]] == [
        ("stored", "HAS_ALLERGY_TO"),
        ("rejected", "EATS"),
    ]
    assert result["results"][0]["attrs"] == {"severity": "mild", "since": 3, "sure": True}
    assert result["results"][1]["reason"] == "refused by the script"


async def test_triples_that_come_after_the_words_are_stored_once(practice: Practice) -> None:
    words = {"text": ALLERGIC, "subject": "P1"}
    async with client_of(practice) as client:
        await called(client, "memory_remember", subject_name="Ann Lee", **words)
        first = await called(client, "memory_remember", facts=[fact()], **words)
        again = await called(client, "memory_remember", facts=[fact()], **words)
        listed = await called(client, "memory_list_facts", subject="P1")
    # What the first call read of the same words stands, and is not told again.
    assert [(each["verdict"], each["object"]) for each in first["results"]] == [("stored", "Latex")]
    assert [each["verdict"] for each in again["results"]] == ["duplicate"]
    assert [(each["object"], each["observations"]) for each in listed["facts"]] == [("Latex", 1), ("Penicillin", 1)]


@pytest.mark.proves("M-26")
async def test_where_all_facts_are_rejected_each_says_why_and_the_words_are_kept(practice: Practice) -> None:
    async with client_of(practice) as client:
        told = await called(
            client,
            "memory_remember",
            text="She cannot stand latex.",
            subject="P1",
            subject_name="Ann Lee",
            facts=[fact("EATS"), fact("EATS", object="bread")],
        )
    assert [(each["verdict"], each["reason"], each["given"]) for each in told["results"]] == [
        ("rejected", "refused by the script", 1),
        ("rejected", "refused by the script", 2),
    ]
    assert told["episode_id"]


@pytest.mark.proves("Z10", "RM-20", "A-14")
async def test_nobody_is_guessed(practice: Practice, era: Era) -> None:
    async with client_of(practice, era) as client:
        await called(client, "memory_remember", text="Hello.", subject="P1", subject_name="Ann Lee")
        same = {"text": "Hello.", "subject": "P2", "subject_name": "Ann Lee"}
        known = await refused(client, "memory_remember", **same)
        taken = await refused(client, "memory_remember", text="Hello.", subject="Ann Lee", subject_name="Ann Lee")
        await called(client, "memory_remember", another_than=["P1"], **same)
        missing = await refused(client, "memory_remember", text=ALLERGIC)
        twice = await refused(client, "memory_remember", text=ALLERGIC, subject="Ann Lee")
        slip = await refused(client, "memory_remember", text=ALLERGIC, subject="Ann Le")
        other = await refused(client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Bob Ray")
    assert "no subject was given" in missing
    assert "known already by the name 'Ann Lee': P1 (Ann Lee); nobody was declared" in known
    assert 'if somebody else is, give another_than ["P1"].' in known
    assert "the id 'Ann Lee' would mean P1 (Ann Lee) as well, so nobody was declared" in taken
    assert "'Ann Lee' may mean 2 subjects: P1 (Ann Lee), P2 (Ann Lee); call again with one of: 'P1', 'P2'." in twice
    assert "to declare a new one, give its id as subject and its name as subject_name" in slip
    assert "near ones: P1 (Ann Lee), P2 (Ann Lee)" in slip
    assert "'P1' is recorded as 'Ann Lee', not 'Bob Ray'" in other


async def test_in_a_single_subject_installation_the_subject_may_be_left_out() -> None:
    async with client_of(Practice(single="me")) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        result = await called(client, "memory_remember", text=ALLERGIC)
        context = await called(client, "memory_build_context", query="What may I take?")
    assert "subject" not in tools["memory_remember"].input_schema["required"]
    assert (result["subject_id"], context["state"]) == ("me", "FOUND")


@pytest.mark.proves("M-30")
async def test_a_result_longer_than_a_host_passes_on_is_shortened_and_says_so() -> None:
    words = "Many things. " + "x" * 7_000
    drugs = Extraction(proposals=tuple(_allergy(f"drug-{number:03d}-{'y' * 60}") for number in range(200)))
    practice = Practice(script={words: drugs}, classifier=ScriptedClassifier("MED_ORDER"))
    async with client_of(practice) as client:
        raw = await client.call_tool("memory_remember", {"text": words, "subject": "P1", "subject_name": "Ann Lee"})
        listed = await called(client, "memory_list_facts", subject="P1")
    result = raw.structured_content
    assert result is not None
    assert len(text_of(raw)) <= 24_000
    assert result["omitted"] == 200 - len(result["results"]) > 0
    assert "CRITICAL ALLERGY: Ann Lee is allergic to Drug-" in result["block"]
    assert listed["total"] == 200


@pytest.mark.proves("Z18")
async def test_words_that_could_not_be_stored_are_not_called_stored() -> None:
    practice = Practice(fails=StoreUnavailable("the store does not answer"))
    async with client_of(practice) as client:
        told = await refused(client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee")
    assert "Nothing was stored: the store does not answer." in told


@pytest.mark.parametrize("said_at", ["2026-11-19", "2026-11-19T10:00:00", "yesterday"])
async def test_a_time_without_zone_is_refused_with_the_way_out(practice: Practice, said_at: str) -> None:
    async with client_of(practice) as client:
        told = await refused(
            client, "memory_remember", text=ALLERGIC, subject="P1", subject_name="Ann Lee", said_at=said_at
        )
    assert "ISO-8601" in told or "use Z" in told


async def test_a_statement_keeps_the_time_at_which_it_was_said(practice: Practice) -> None:
    async with client_of(practice) as client:
        await called(
            client,
            "memory_remember",
            text=ALLERGIC,
            subject="P1",
            subject_name="Ann Lee",
            said_at="2026-11-19T10:00:00+01:00",
        )
        listed = await called(client, "memory_list_facts", subject="P1")
    assert listed["facts"][0]["said_at"] == "2026-11-19T09:00:00Z"
