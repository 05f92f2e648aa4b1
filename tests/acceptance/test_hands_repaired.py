"""A text that is told again with the one fact that was refused, and words that no longer wait for nothing; over MCP.

Issue "In a model's hands", points 1, 5 and 6.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
SAID = "Badly allergic to wasp venom. Takes warfarin. No codeine ever. Weighs 71 kg."
VENOM = fact("HAS_ALLERGY_TO", "wasp venom", "Badly allergic to wasp venom")
CODEINE = fact("HAS_INTOLERANCE_TO", "codeine", "No codeine ever")
TAKES = fact("TAKES", "warfarin", "Takes warfarin")
REFUSED = fact("HAS_MEASUREMENT", "weight", "Weighs seventy-one kilos", attrs={"value": "71", "unit": "kg"})
REPAIRED = fact("HAS_MEASUREMENT", "Weighs", "Weighs 71 kg", attrs={"value": "71", "unit": "kg"})


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "repaired", ("clinical",)) as opened:
        yield opened


async def test_a_repaired_fact_makes_nothing_wait_that_the_first_call_stored(domains: Domains) -> None:
    person = domains.somebody("clinical")
    await person.tells(SAID, [VENOM, TAKES, CODEINE, REFUSED])

    await person.tells(SAID, [REPAIRED])

    assert await person.waiting() == []
    stored = {relation for relation, _ in await person.facts()}
    assert {"HAS_ALLERGY_TO", "TAKES", "HAS_INTOLERANCE_TO", "HAS_MEASUREMENT"} <= stored


async def test_a_risk_that_the_first_call_left_out_waits_as_before(domains: Domains) -> None:
    person = domains.somebody("clinical")
    await person.tells(SAID, [TAKES, CODEINE])

    await person.tells(SAID, [REPAIRED])

    assert "wasp venom" in str(await person.waiting())


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("Her nephew Tero has moved in and does her washing.", "active"),
        ("Her nephew Tero has moved in and does her sister mind.", "unconfirmed"),
        ("Does her nephew Tero live there and does her washing?", "unconfirmed"),
    ],
)
async def test_a_verb_with_its_object_asks_nothing(domains: Domains, said: str, status: str) -> None:
    person = domains.somebody("clinical")

    out = await person.tells(said, [fact("HAS_NOTE", said[:-1], said[:-1])])

    assert [each["status"] for each in out["results"] if each.get("given")] == [status]


@pytest.mark.parametrize(
    ("draft", "differs"),
    [
        ("The foot clinic is on 9 July 2027 at 11.20.", True),
        ("The foot clinic is on 9 July 2027 at 10.20.", False),
        ("The foot clinic is on 9 July 2027 at 10.20, be at the gate at 9.50.", False),
        ("Lunch on 9 July 2027 at 12.30.", False),
    ],
)
async def test_another_hour_of_the_same_day_is_found(domains: Domains, draft: str, differs: bool) -> None:
    person = domains.somebody("clinical")
    said = "Foot clinic on 9 July 2027 at 10.20."
    date = fact("HAS_DATE", "foot clinic", said[:-1], attrs={"date": "9 July 2027", "time": "10.20"})
    await person.tells(said, [date])

    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    found = [each for each in checked["findings"] if "The record says otherwise" in each["message"]]
    assert bool(found) == differs


@pytest.mark.parametrize(
    ("weeks", "attrs"), [("14+5", {"weeks": 14, "days": "5"}), ("14+0", {"weeks": 14}), ("14", {"weeks": 14})]
)
async def test_the_days_of_the_week_that_has_begun_are_kept(
    domains: Domains, weeks: str, attrs: dict[str, object]
) -> None:
    person = domains.somebody("clinical")
    said = f"Booked in at {weeks} weeks."

    await person.tells(said, [fact("HAS_GESTATION", "gestation", said[:-1], attrs={"weeks": weeks})])

    [stored] = [each for (relation, _), each in (await person.facts()).items() if relation == "HAS_GESTATION"]
    assert {key: stored["attrs"][key] for key in ("weeks", "days") if key in stored["attrs"]} == attrs
    assert (" and 5 days" in await person.block("Can she have ibuprofen?")) == ("days" in attrs)
