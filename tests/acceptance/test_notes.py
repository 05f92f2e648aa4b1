"""Notes, preferences and dates in every domain: a request that names a day is shown what is recorded of that day."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio

SAID = "2026-11-02T09:00:00Z"
NOTED: dict[str, tuple[tuple[str, str, str, dict[str, str]], ...]] = {
    "clinical": (
        ("HAS_NOTE", "morning appointments", "She prefers morning appointments.", {}),
        (
            "HAS_DATE",
            "the surgeon's leave",
            "The surgeon is on leave from 10 to 20 June 2027.",
            {"date": "10 to 20 June 2027"},
        ),
        ("HAS_NOTE", "no calls on Mondays", "No calls on Mondays, please.", {}),
    ),
    "law": (
        ("HAS_DATE", "mediation", "The mediation is on 3 May 2027.", {"date": "3 May 2027"}),
        ("HAS_DATE", "closing", "Closing on 14 June 2027.", {}),
    ),
    "finance": (
        ("HAS_DATE", "house purchase", "The house purchase completes on 14 June 2027.", {"date": "14 June 2027"}),
    ),
    "personal": (
        (
            "HAS_DATE",
            "release freeze",
            "The release freeze runs from 20 December 2026 to 6 January 2027.",
            {"date": "20 December 2026", "until": "6 January 2027"},
        ),
        ("PLANS", "trip to Lisbon", "We plan a trip to Lisbon in August 2027.", {"when": "in August 2027"}),
    ),
}


@pytest.fixture(scope="module", params=NOTED)
async def told(request: pytest.FixtureRequest, standing: Installation) -> AsyncIterator[tuple[str, Assistant]]:
    """A domain, and a client of it to whom its notes were told."""
    domain: str = request.param
    installation = standing.with_settings(
        schema=domain,
        data_dir=str(standing.folder / f"notes-{domain}"),
        space=f"{standing.settings['space']}-{domain}",
        single_subject="P1",
    )
    async with in_a_task_of_its_own(installation.client()) as assistant:
        for relation, thing, words, attrs in NOTED[domain]:
            given = [{"relation": relation, "object": thing, "evidence": words, "attrs": attrs}]
            stored = await assistant.call("memory_remember", text=words, facts=given, said_at=SAID)
            assert [(each["verdict"], each["relation"]) for each in stored["results"]] == [("stored", relation)]
        yield domain, assistant


async def block_of(assistant: Assistant, query: str) -> str:
    context = await assistant.call("memory_build_context", query=query)
    return str(context["block"])


MET = {
    "clinical": [
        ("Book the theatre for 15 June 2027.", "surgeon's leave", "within 2027-06-10 to 2027-06-20"),
        ("Ring her on Monday about the results.", "no calls on mondays", "the same day of the week"),
    ],
    "law": [
        ("Can we sign on 3 May 2027?", "mediation", "the day of it"),
        ("Reserve the room for 14 June 2027.", "closing", "the day of it"),
    ],
    "finance": [("Sell the fund on 14 June 2027.", "house purchase", "the day of it")],
    "personal": [
        ("Can I push this hotfix on 23 December 2026?", "release freeze", "within 2026-12-20 to 2027-01-06"),
        ("Invite my parents for 12 August 2027.", "trip to lisbon", "within 2027-08-01 to 2027-08-31"),
    ],
}


async def test_a_request_that_names_a_day_is_shown_what_falls_on_it_and_how(told: tuple[str, Assistant]) -> None:
    domain, assistant = told
    for query, thing, how in MET[domain]:
        lines = (await block_of(assistant, query)).splitlines()
        near = next(number for number, line in enumerate(lines) if thing in line.casefold())
        assert any("bears on this request" in line and how in line for line in lines[near : near + 3]), lines
        # A year later nothing of it is met: the year was said.
        later = await block_of(assistant, query.replace("2027", "2029").replace("2026", "2028"))
        assert domain == "clinical" or "(day match)" not in later


async def test_a_draft_for_a_noted_day_is_no_calm_one_unless_it_names_the_note(told: tuple[str, Assistant]) -> None:
    domain, assistant = told
    query, thing, _ = MET[domain][0]
    checked = await assistant.call("memory_check_text", text=query)
    aware = await assistant.call("memory_check_text", text=f"{query} Mind {thing}.")
    found = [finding for finding in checked["findings"] if finding["level"] == "day"]
    assert [finding["verdict"] for finding in found] == ["warning"]
    assert thing in found[0]["message"].casefold()
    assert not any(finding["level"] == "day" for finding in aware.get("findings", []))


async def test_tomorrow_and_a_day_of_the_week_are_those_of_the_call(standing: Installation) -> None:
    """What is noted for a day is met by each way to name that day."""
    today = datetime.now(UTC)
    day = today + timedelta(days=1)
    installation = standing.with_settings(
        schema="personal", data_dir=str(standing.folder / "notes-tomorrow"), single_subject="P1"
    )
    words = f"The plumber comes on {day:%Y-%m-%d}."
    given: list[dict[str, Any]] = [
        {"relation": "HAS_DATE", "object": "plumber", "evidence": words, "attrs": {"date": f"{day:%Y-%m-%d}"}}
    ]
    async with installation.client() as assistant:
        await assistant.call("memory_remember", text=words, facts=given)
        for named in ("tomorrow", f"on {day:%A}", f"on {day.day} {day:%B}", f"on {day:%Y-%m-%d}"):
            block = await block_of(assistant, f"Arrange a delivery {named}.")
            assert f"{day:%Y-%m-%d}, the day of it (day match)" in block or "the day of it (day match)" in block, named
        assert "(day match)" not in await block_of(assistant, "Arrange a delivery the day after tomorrow.")


async def test_a_long_note_is_shown_to_its_end(standing: Installation) -> None:
    words = (
        "Tripped over the cat on Friday evening, no bleeding, a bit sore, baby moving well since then, "
        "has not been seen by anyone"
    )
    note = {"relation": "HAS_NOTE", "object": words, "evidence": words}
    async with standing.with_settings(data_dir=str(standing.folder / "long-note")).client() as assistant:
        about = {"subject": "LN1", "subject_name": "Ada Finch"}
        await assistant.call("memory_remember", text=f"{words}.", facts=[note], **about)
        told = await assistant.call("memory_build_context", query="Has she been seen by anyone?", subject="LN1")

    assert words in told["block"]
