"""A law practice, end to end, with files alone: a conflict of interest found before an engagement, a limitation date
before advice."""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

# Files make the domain, whatever keeps its facts.
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("standing", ["embedded"], indirect=True, scope="module")]

OTHERS = (
    ("C02", "Cole Textiles", "No known conflicts."),
    ("C03", "Dana Wright", "She is bound by a non-compete until 31 December 2027."),
    ("C04", "Elm Street Bakery", "My brother is bound by a non-compete."),
)


async def tell(assistant: Assistant) -> None:
    """The intake of Bell Foods, and what was said in other files and in between."""
    for text in (
        "Our client is suing Acme Corp over unpaid invoices.",
        "The limitation period for the second claim expires on 3 May 2027.",
        "Do not disclose the settlement terms to Globex.",
    ):
        await assistant.call(
            "memory_remember",
            text=text,
            subject="C01",
            subject_name="Bell Foods",
            speaker="lawyer",
            said_at="2026-11-19T09:30:00Z",
        )
    for number in range(2):
        for id_, name, words in OTHERS:
            await assistant.call(
                "memory_remember", text=words, subject=id_, subject_name=name, conversation_id=f"c{number}"
            )
        await assistant.call("memory_remember", text=f"Lunch is at noon, {number}.", subject="C01")


@pytest.fixture(scope="module")
async def practice(standing: Installation) -> AsyncIterator[Assistant]:
    """A client of the server that followed the one to which everything was told.

    The installation reads the law files; nothing else distinguishes it.
    """
    installation = standing.with_settings(schema="law", data_dir=str(standing.folder / "law"))
    async with in_a_task_of_its_own(installation.client()) as assistant:
        await tell(assistant)
    async with in_a_task_of_its_own(installation.client("legacy")) as assistant:
        yield assistant


@pytest.mark.proves("RM-3", "RM-12", "Z41")
async def test_a_conflict_is_found_before_an_engagement_that_names_only_a_subsidiary(practice: Assistant) -> None:
    context = await practice.call(
        "memory_build_context",
        detail=True,
        query="Acme Foods wants to retain us. Draft the engagement letter.",
        subject="C01",
    )
    lines = context["block"].splitlines()
    assert "ENGAGEMENT" in context["intents"]
    assert lines[1].startswith("Subject: Bell Foods (Client C01). Checked ")
    assert lines[2] == "CONFLICT OF INTEREST: Bell Foods has a conflict with Acme corp."
    assert lines[3].startswith('  said 2026-11-19 by lawyer: "Our client is suing Acme Corp')
    assert lines[4].startswith("  bears on this request: Acme foods subsidiary of Acme corp")
    assert context["lines"][0]["match"] == "class"
    assert "Not proof of absence." in context["block"]
    assert (context["state"], context["complete"]) == ("FOUND", True)


@pytest.mark.proves("RM-3", "RM-12")
async def test_a_limitation_date_stands_in_the_block_before_advice_on_the_claim(practice: Assistant) -> None:
    context = await practice.call(
        "memory_build_context",
        detail=True,
        query="Can they still bring the second claim? Advise them.",
        subject="Bell Foods",
    )
    assert "LITIGATION_STEP" in context["intents"]
    assert "\nDEADLINE: Statute of limitations for Bell Foods: 2027-05-03." in context["block"]
    assert {"relation": "HAS_DEADLINE", "state": "FOUND", "count": 1} in context["outcomes"]


async def test_two_days_of_one_deadline_and_a_client_on_both_sides_come_back_with_the_write(
    practice: Assistant,
) -> None:
    who = {"subject": "C77", "subject_name": "Fern Mills"}
    told = [
        (await practice.call("memory_remember", text=words, **who)).get("not_together", [])
        for words in (
            "The appeal is due on 3 March 2027.",
            "The client has a conflict with Acme Corp.",
            "The appeal is due on 10 March 2027.",
            "We act for Acme Corp.",
        )
    ]
    assert told[:2] == [[], []]
    assert told[2] == ["deadline Appeal deadline: 2027-03-03 or 2027-03-10."]
    assert len(told[3]) == 1
    assert "conflict" in told[3][0]


@pytest.mark.proves("RM-3", "RM-12", "Z06", "Z14")
async def test_files_of_others_stay_apart_and_a_check_without_findings_is_told_from_none(practice: Assistant) -> None:
    tools = (await practice.client.list_tools()).tools
    instructions = str(practice.client.instructions)
    checked = await practice.call(
        "memory_build_context", detail=True, query="Can we act against Globex?", subject="C02"
    )
    brother = await practice.call(
        "memory_build_context", detail=True, query="Draft her employment contract.", subject="C04"
    )
    bound = await practice.call("memory_build_context", detail=True, query="May she join a competitor?", subject="C03")
    assert _state(checked, "HAS_CONFLICT_WITH") == "NONE-ASSERTED"
    assert _state(checked, "HAS_DEADLINE") == "NOT-ASKED"
    assert _state(brother, "BOUND_BY") == "NOT-ASKED"
    assert bound["block"].splitlines()[2].startswith("BOUND BY: Dana Wright is bound by Non-compete")
    assert "until: 2027-12-31" in bound["block"]
    assert "Acme" not in checked["block"]
    assert "conflicts of interest" in instructions
    assert "allerg" not in " ".join(str(tool.description) for tool in tools)


def _state(context: object, relation: str) -> str:
    assert isinstance(context, dict)
    return str({each["relation"]: each["state"] for each in context["outcomes"]}[relation])


async def test_what_is_said_keeps_its_name_and_the_client_by_a_short_name_is_no_third_party(
    practice: Assistant,
) -> None:
    await practice.call(
        "memory_remember",
        text="We act for Acme in the lease. The board must not see the side letter.",
        subject="C09",
        subject_name="Acme Ltd",
        speaker="lawyer",
        facts=[
            {
                "relation": "MUST_NOT_DISCLOSE",
                "object": "side letter",
                "evidence": "The board must not see the side letter.",
            }
        ],
    )
    listed = await practice.call("memory_list_facts", subject="C09")
    assert [(fact["relation"], fact["object"].casefold()) for fact in listed["facts"]] == [
        ("MUST_NOT_DISCLOSE", "side letter")
    ]


@pytest.mark.parametrize(
    ("draft", "where"),
    [
        ("Dear Sirs, we write for Mr Hale. His Lisbon flat could be sold by the spring.", "Lisbon flat"),
        ("Dear Sirs, Mr Hale will spend the winter in Lisbon and cannot attend.", "winter in Lisbon"),
        ("Dear Sirs, Mr Hale keeps a second home abroad.", ""),
        ("Please find our fee note for October enclosed.", ""),
    ],
)
async def test_a_draft_is_never_calm_about_a_secret_that_other_words_may_give_away(
    practice: Assistant, draft: str, where: str
) -> None:
    await practice.call(
        "memory_remember",
        text="He owns a flat in Lisbon. His wife's solicitors must never hear of it.",
        subject="C31",
        subject_name="Rowan Hale",
        speaker="lawyer",
        facts=[
            {
                "relation": "MUST_NOT_DISCLOSE",
                "object": "flat in Lisbon",
                "evidence": "He owns a flat in Lisbon. His wife's solicitors must never hear of it.",
            }
        ],
    )
    checked = await practice.call("memory_check_text", text=draft, subject="C31")
    told = [finding["message"] for finding in checked["findings"]] + checked.get("gaps", [])
    assert checked["verdict"] != "nothing_found"
    assert any("DO NOT DISCLOSE" in item and "flat in lisbon" in item.casefold() for item in told), checked
    if where:
        assert checked["verdict"] in {"warning", "conflict"}
        assert any(where in finding["quote"] for finding in checked["findings"])


async def test_a_newcomer_whom_another_file_stands_against_is_no_free_man(practice: Assistant) -> None:
    await practice.call(
        "memory_remember",
        text="Mrs Vera Quill is divorcing Tobias Quill.",
        subject="quill",
        subject_name="Vera Quill",
        speaker="lawyer",
        facts=[{"relation": "HAS_CONFLICT_WITH", "object": "Tobias Quill", "evidence": "divorcing Tobias Quill"}],
    )
    who = {"subject": "tobias", "subject_name": "Tobias Quill"}
    written = await practice.call("memory_remember", text="Tobias Quill runs a bakery.", speaker="lawyer", **who)
    context = await practice.call(
        "memory_build_context", query="Tobias Quill asks us to look over his lease, can I say yes?", subject="tobias"
    )
    draft = await practice.call("memory_check_text", text="Dear Tobias, we are glad to act.", subject="tobias")
    other = await practice.call("memory_build_context", query="Mrs Quill calls on Monday.", subject="tobias")
    warned = "ANOTHER'S FILE NAMES Tobias Quill (HAS_CONFLICT_WITH): before acting, call memory_check_across"
    assert written["subject_id"] == "tobias"
    assert warned in context["block"]
    # The surname that both have is part of his own name, and names nobody else.
    assert "Vera Quill" not in context["block"]
    assert context.get("outcome", "") != "SUBJECT-MISMATCH"
    assert draft["verdict"] == "not_checkable"
    assert any(gap.startswith(warned) for gap in draft["gaps"])
    assert "THIS REQUEST NAMES Vera Quill (quill)" in other["block"]
