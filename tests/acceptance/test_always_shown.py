"""What stands in every block about somebody, whatever is asked: a pregnancy that goes on, and breastfeeding."""

from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own

pytestmark = pytest.mark.anyio

NUMBERS = count(1)
ASKED_NOTHING = "nothing was ever asked"


@pytest.fixture(scope="module")
async def clinic(standing: Installation) -> AsyncIterator[Assistant]:
    """One client on each store; each test takes a subject of its own."""
    async with in_a_task_of_its_own(standing.client()) as connected:
        yield connected


@pytest.fixture(scope="module")
async def home(standing: Installation) -> AsyncIterator[Assistant]:
    """A client of a personal memory."""
    personal = standing.with_settings(schema="personal", data_dir=str(standing.folder / "always-shown"))
    async with in_a_task_of_its_own(personal.client()) as connected:
        yield connected


def weeks_ago(weeks: int) -> str:
    return (datetime.now(UTC) - timedelta(weeks=weeks)).isoformat()


async def told(
    client: Assistant,
    relation: str,
    said: str,
    *,
    name: str = "",
    ago: int = 0,
    status: str = "active",
    attrs: Mapping[str, object] | None = None,
) -> str:
    """The id of somebody new of whom one fact is stored in these words."""
    number = next(NUMBERS)
    who = f"s{number}"
    fact = {"relation": relation, "object": said, "evidence": said, "status": status, "attrs": attrs or {}}
    stored = await client.call(
        "memory_remember",
        text=said,
        subject=who,
        subject_name=name or f"Person Number S{number}",
        said_at=weeks_ago(ago),
        facts=[fact],
    )
    assert [each["verdict"] for each in stored["results"]] == ["stored"], stored
    return who


async def asked(client: Assistant, query: str, who: str) -> Mapping[str, Any]:
    return await client.call("memory_build_context", query=query, subject=who)


@pytest.mark.parametrize(
    "query",
    [
        "Arrange when to see her next.",
        "Write her a short letter about parking at the clinic.",
        "Give her a ring this afternoon about the home visit.",
        "Refer her to the physio.",
        "Book her a side room.",
    ],
)
@pytest.mark.parametrize(
    ("relation", "said", "attrs", "shown"),
    [
        ("HAS_GESTATION", "29 weeks along", {"weeks": 29}, "Pregnant: 29 weeks"),
        ("HAS_CONDITION", "pregnant", {}, "Pregnan"),
        ("HAS_CONDITION", "still breastfeeding", {}, "breastfeeding"),
    ],
)
async def test_a_pregnancy_stands_whatever_is_asked(
    clinic: Assistant, query: str, relation: str, said: str, attrs: dict[str, object], shown: str
) -> None:
    who = await told(clinic, relation, said, attrs=attrs)

    context = await asked(clinic, query, who)

    assert shown.casefold() in context["block"].casefold()
    assert context["block"].casefold().count(shown.casefold()) == 1
    assert ASKED_NOTHING not in context["block"]
    assert context["state"] == "FOUND"


@pytest.mark.parametrize(
    ("relation", "said", "ago", "attrs"),
    [
        ("HAS_GESTATION", "32 weeks along", 20, {"weeks": 32}),
        ("HAS_CONDITION", "pregnant", 50, {}),
    ],
)
async def test_a_pregnancy_past_its_term_is_not_shown_as_present(
    clinic: Assistant, relation: str, said: str, ago: int, attrs: dict[str, object]
) -> None:
    who = await told(clinic, relation, said, ago=ago, attrs=attrs)

    read = (await asked(clinic, "Arrange when to see her next.", who))["block"]
    unread = (await asked(clinic, "Put her arm in a sling.", who))["block"]

    assert "stale: verify" in read
    assert "pregnan" not in unread.casefold() or "stale: verify" in unread
    assert ASKED_NOTHING not in unread


async def test_what_was_and_is_over_is_not_shown_as_present(clinic: Assistant) -> None:
    who = await told(clinic, "HAS_CONDITION", "was pregnant last year", status="resolved")

    block = (await asked(clinic, "Arrange when to see her next.", who))["block"]

    assert "has Pregnancy" not in block.replace("RESOLVED: ", "")


async def test_of_two_readings_of_the_weeks_the_newer_one_stands(clinic: Assistant) -> None:
    who = await told(clinic, "HAS_GESTATION", "20 weeks along", ago=3, attrs={"weeks": 20})
    said = "24 weeks along"
    await clinic.call(
        "memory_remember",
        text=said,
        subject=who,
        facts=[
            {
                "relation": "HAS_GESTATION",
                "object": "24 weeks along",
                "evidence": "24 weeks along",
                "attrs": {"weeks": 24},
            }
        ],
    )

    block = (await asked(clinic, "Refer her to the physio.", who))["block"]

    assert "Pregnant: 24 weeks" in block
    assert "Pregnant: 20 weeks" not in block


async def test_nothing_was_ever_asked_is_not_said_beside_a_recorded_fact(clinic: Assistant) -> None:
    who = await told(clinic, "HAS_AGE", "is 41 years old", attrs={"value": 41, "unit": "years"})

    block = (await asked(clinic, "Refer her to the physio.", who))["block"]

    assert ASKED_NOTHING not in block
    assert "recorded beside: age" in block


async def test_a_household_s_block_shows_who_is_pregnant(home: Assistant) -> None:
    pregnant = await told(home, "HAS_GESTATION", "26 weeks along", name="Ottoline", attrs={"weeks": 26})
    ill = await told(home, "HAS_CONDITION", "shingles", name="Bram")

    block = (
        await home.call(
            "memory_build_context",
            query="Text Ottoline from me: come for supper on Sunday and hold Bram for a bit.",
            subjects=[pregnant, ill],
        )
    )["block"]

    assert "Pregnant: 26 weeks" in block
    assert "Shingles" in block


@pytest.mark.parametrize(
    ("said", "weeks", "shown"),
    [("she is 23+4 today", "23+4", 23), ("booked at 9+6 weeks", "9+6 weeks", 9), ("now 38 + 1", "38 + 1", 38)],
)
async def test_weeks_and_days_are_kept_as_the_weeks_and_the_words(
    clinic: Assistant, said: str, weeks: str, shown: int
) -> None:
    who = await told(clinic, "HAS_GESTATION", said, attrs={"weeks": weeks})

    (fact,) = (await clinic.call("memory_list_facts", subject=who))["facts"]

    assert fact["attrs"]["weeks"] == shown
    assert weeks in fact["evidence"]


async def test_the_words_that_a_stop_rests_on_come_first(clinic: Assistant) -> None:
    who = await told(clinic, "HAS_CONDITION", "I've been pregnant since September")
    block = (await clinic.call("memory_build_context", query="Start isotretinoin for the acne.", subject=who))["block"]
    finding, below, *_ = block.split("\n")[2:]

    assert "I've been pregnant since September" in f"{finding}{below}", block
    assert "\nDOMAIN RULE: Isotretinoin" in block


async def test_a_request_that_nothing_recognises_says_so_beside_the_subject_and_the_facts_follow(
    clinic: Assistant,
) -> None:
    who = await told(clinic, "HAS_PRECAUTION", "no blood pressure on the left arm")
    block = (await clinic.call("memory_build_context", query="What about Tuesday?", subject=who))["block"]
    _, subject, finding, *_ = block.split("\n")

    assert "Action not recognised: everything critical is shown." in subject, block
    assert finding.startswith("PRECAUTION:"), block
