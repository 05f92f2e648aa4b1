"""An advisory desk, end to end, with files alone: a restricted security and a mandate limit known before an order."""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

# Files make the domain, whatever keeps its facts.
pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("standing", ["embedded"], indirect=True, scope="module")]

NUMBERS = count(1)
OTHERS = (
    ("F02", "Ivy Park", "No investment restrictions."),
    ("F03", "Noah Reed", "He is a politically exposed person."),
    ("F04", "Lena Fox", "My husband is a director of Contoso."),
)


async def tell(assistant: Assistant) -> None:
    """The mandate of Mara Stone, and what was said of others and in between."""
    for text in (
        "She is a director of Contoso.",
        "The client must not hold tobacco stocks.",
        "No more than 5 percent in crypto.",
    ):
        await assistant.call(
            "memory_remember",
            text=text,
            subject="F01",
            subject_name="Mara Stone",
            speaker="adviser",
            said_at="2026-11-19T09:30:00Z",
        )
    for number in range(2):
        for id_, name, words in OTHERS:
            await assistant.call(
                "memory_remember", text=words, subject=id_, subject_name=name, conversation_id=f"c{number}"
            )
        await assistant.call("memory_remember", text=f"The market was quiet today, {number}.", subject="F01")


@pytest.fixture(scope="module")
async def desk(standing: Installation) -> AsyncIterator[Assistant]:
    """A client of the server that followed the one to which everything was told.

    The installation reads the finance files; nothing else distinguishes it.
    """
    installation = standing.with_settings(schema="finance", data_dir=str(standing.folder / "finance"))
    async with in_a_task_of_its_own(installation.client()) as assistant:
        await tell(assistant)
    async with in_a_task_of_its_own(installation.client("legacy")) as assistant:
        yield assistant


@pytest.mark.proves("RM-3", "RM-12")
async def test_a_restricted_security_is_known_before_an_order(desk: Assistant) -> None:
    context = await desk.call(
        "memory_build_context", detail=True, query="Buy 200 tobacco shares for her at market.", subject="F01"
    )
    [line] = [line for line in context["lines"] if line["text"].startswith("RESTRICTED: ")]
    assert "ORDER" in context["intents"]
    assert context["block"].splitlines()[1].startswith("Subject: Mara Stone (Client F01). Checked ")
    assert line["text"] == "RESTRICTED: Mara Stone must not trade or hold Tobacco."
    assert line["match"] == "exact"
    assert (context["state"], context["complete"]) == ("FOUND", True)


@pytest.mark.proves("RM-3", "RM-12")
async def test_a_mandate_limit_is_known_before_an_order(desk: Assistant) -> None:
    context = await desk.call(
        "memory_build_context", detail=True, query="Put 20 percent of the portfolio into bitcoin.", subject="Mara Stone"
    )
    assert context["lines"][0]["text"] == "MANDATE LIMIT: Mara Stone holds at most 5 percent in Crypto."
    assert "bears on this request:" in context["block"]


@pytest.mark.proves("RM-3", "RM-12")
async def test_an_insider_is_known_before_an_order_in_a_security_of_the_company(desk: Assistant) -> None:
    context = await desk.call("memory_build_context", detail=True, query="Sell the Contoso 2030 bond.", subject="F01")
    assert context["lines"][0]["text"].startswith("INSIDER: Mara Stone is an insider of Contoso")
    assert context["lines"][0]["match"] == "class"
    assert "Contoso 2030 bond issued by Contoso" in context["block"]


@pytest.mark.proves("RM-3", "RM-12", "Z06", "Z14")
async def test_others_stay_apart_and_a_relatives_office_goes_to_a_person(desk: Assistant) -> None:
    told = await desk.call("memory_remember", text=OTHERS[2][2], subject="F04")
    free = await desk.call("memory_build_context", detail=True, query="Buy tobacco shares.", subject="F02")
    exposed = await desk.call("memory_build_context", detail=True, query="Wire the money abroad.", subject="F03")
    wife = await desk.call("memory_build_context", detail=True, query="Buy Contoso shares.", subject="F04")
    assert [each["verdict"] for each in told["results"]] == ["waits"]
    assert _state(free, "RESTRICTED_FROM") == "NONE-ASSERTED"
    assert _state(wife, "IS_INSIDER_OF") == "NOT-ASKED"
    assert "My husband is a director of Contoso." in wife["block"]
    assert exposed["block"].splitlines()[2].startswith("STATUS: Noah Reed is recorded as Politically exposed person.")
    assert "Stone" not in free["block"]


def _state(context: object, relation: str) -> str:
    assert isinstance(context, dict)
    return str({each["relation"]: each["state"] for each in context["outcomes"]}[relation])


async def test_what_is_held_against_the_mandate_comes_back_with_the_write(desk: Assistant) -> None:
    who = {"subject": "F77", "subject_name": "Otto Lind"}
    told = [
        (await desk.call("memory_remember", text=words, **who)).get("not_together", [])
        for words in (
            "The client must not hold tobacco.",
            "At most 5 % of the portfolio in Contoso shares.",
            "The client holds Altria shares.",
            "The client holds 4 % in Contoso shares.",
            "The client holds 12 % in Contoso shares.",
        )
    ]
    assert [len(each) for each in told] == [0, 0, 1, 0, 1]
    assert told[2] == ["holds Altria + restricted from Tobacco: Altria is a Tobacco."]
    assert "at most 5 percent" in told[4][0]


@pytest.mark.parametrize(
    ("words", "means", "order", "verdict"),
    [
        ("anybody who builds missiles", "", "Buy 90 shares of Lockheed Martin.", "warning"),
        ("the betting lot", "gambling", "Buy 90 shares of Flutter.", "conflict"),
        ("anything to do with cigarettes", "", "Buy 90 shares of British American Tobacco.", "warning"),
        ("anything to do with cigarettes", "", "Buy 90 shares of Flutter.", "nothing_found"),
        (
            "whoever makes arms",
            "arms makers and weapons",
            "Buy 90 shares of Rheinmetall for Tom's account.",
            "conflict",
        ),
    ],
)
async def test_a_group_that_words_describe_holds_for_each_of_its_members(
    desk: Assistant, words: str, means: str, order: str, verdict: str
) -> None:
    who = f"G{next(NUMBERS)}"
    fact = {"relation": "RESTRICTED_FROM", "object": words, "evidence": words, "means": means}
    told = f"I won't have {words} in there."
    await desk.call(
        "memory_remember", text=told, subject=who, subject_name=f"Tom Gale {who}", speaker="client", facts=[fact]
    )
    checked = await desk.call("memory_check_text", text=order, subject=who)
    assert checked["verdict"] == verdict, checked
    assert not any("Tom" in gap for gap in checked.get("gaps", ())), checked


@pytest.mark.parametrize(
    ("limited", "draft", "is_named"),
    [
        ("pension contributions", "Pay 20,000 pounds into his personal pension this year.", True),
        ("peer lending", "Lend 9,000 pounds through the platform.", True),
        ("peer lending", "Thank you for the biscuits.", False),
    ],
)
async def test_a_limit_of_an_unknown_name_of_which_a_draft_holds_a_word_is_no_silence(
    desk: Assistant, limited: str, draft: str, *, is_named: bool
) -> None:
    who = f"L{next(NUMBERS)}"
    told = f"No more than 12,000 pounds a year in {limited}"
    limits = {"relation": "RISK_LIMIT", "object": limited, "evidence": told, "attrs": {"max": 12000, "unit": "pounds"}}
    await desk.call("memory_remember", text=f"{told}.", subject=who, subject_name=f"Lu {who}", facts=[limits])
    gaps = (await desk.call("memory_check_text", text=draft, subject=who)).get("gaps", ())
    assert any(limited.capitalize() in gap for gap in gaps) is is_named, gaps
