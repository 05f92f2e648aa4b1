"""A draft that gives a recorded thing another day or sum is told what the record says; one that repeats it is not.

Over MCP, in the domains of ordinary users; issue "In a model's hands".
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
OTHERWISE = "The record says otherwise"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "restated", ("law", "personal")) as opened:
        yield opened


def day(thing: str, words: str, date: str) -> Given:
    return fact("HAS_DATE", thing, words, attrs={"date": date})


RECORDED: dict[str, tuple[str, Given]] = {
    "mediation": ("law", day("mediation", "The mediation is on 17 May 2027", "2027-05-17")),
    "defence": (
        "law",
        fact("HAS_DEADLINE", "defence", "The defence is due on 17 May 2027", attrs={"due": "2027-05-17"}),
    ),
    "fee": ("law", fact("HAS_NOTE", "fee cap of £60,000", "The fee cap is £60,000")),
    "concert": ("personal", day("choir concert", "The choir concert is on 3 July 2027", "2027-07-03")),
    "deposit": ("personal", fact("HAS_NOTE", "hall deposit of £250", "The hall deposit is £250")),
}
WRONG = (
    ("mediation", "The mediation is on 14 May 2027."),
    ("mediation", "See you at the mediation on the 14th."),
    ("defence", "Please note that the defence is due on 24 May 2027."),
    ("fee", "As agreed, the fee cap is £40,000."),
    ("fee", "A £75,000 fee cap applies to this work."),
    ("concert", "The choir concert is on 13 July 2027, doors at seven."),
    ("concert", "I'll be at the choir concert on the 5th."),
    ("deposit", "The hall deposit is £350, payable today."),
)
RIGHT = (
    ("mediation", "The mediation is on 17 May 2027."),
    ("mediation", "See you at the mediation on the 17th."),
    ("mediation", "We meet on 14 May 2027 to prepare for the mediation."),
    ("mediation", "The mediation bundle went out on 2 May 2027."),
    ("defence", "We will file the defence on 10 May 2027."),
    ("fee", "Of the fee cap of £60,000, £20,000 is spent."),
    ("fee", "You paid £500 towards the fee cap."),
    ("concert", "The choir concert is on 3 July 2027."),
    ("deposit", "The hall deposit of £250 is paid."),
)


async def said_otherwise(domains: Domains, thing: str, draft: str) -> bool:
    domain, given = RECORDED[thing]
    person = domains.somebody(domain)
    await person.tells(f"{given['evidence']}.", [given])
    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)
    return any(OTHERWISE in finding["message"] for finding in checked["findings"])


@pytest.mark.parametrize(("thing", "draft"), WRONG, ids=[row[1] for row in WRONG])
async def test_a_draft_that_gives_another_day_or_sum_is_told_the_recorded_one(
    domains: Domains, thing: str, draft: str
) -> None:
    assert await said_otherwise(domains, thing, draft)


@pytest.mark.parametrize(("thing", "draft"), RIGHT, ids=[row[1] for row in RIGHT])
async def test_a_draft_that_repeats_the_record_or_speaks_of_something_beside_it_is_not_corrected(
    domains: Domains, thing: str, draft: str
) -> None:
    assert not await said_otherwise(domains, thing, draft)


TAKEN_BACK: dict[str, tuple[str, Given, str, Given]] = {
    "lamp": (
        "personal",
        fact("HAS_DETAIL", "the pond lamp is the 45 watt one", "the pond lamp is the 45 watt one"),
        "Not 45, the pond lamp is 60 watt.",
        fact("HAS_DETAIL", "the pond lamp is 60 watt", "the pond lamp is 60 watt"),
    ),
    "barber": (
        "personal",
        day("barber", "The barber is on 12 March 2027", "2027-03-12"),
        "No, the barber is on 19 March 2027.",
        day("barber", "the barber is on 19 March 2027", "2027-03-19"),
    ),
    "fall": (
        "personal",
        fact("HAS_NOTE", "Aunt Ida fell in 2018", "Aunt Ida, 79, fell in 2018"),
        "No, Aunt Ida, who is 79, did not fall, her sister did.",
        fact("HAS_DETAIL", "Aunt Ida is 79", "Aunt Ida, who is 79"),
    ),
    "loft": (
        "personal",
        fact("HAS_NOTE", "Ravi has the loft key", "Ravi has the loft key"),
        "Ravi gave the loft key back, it hangs in the hall.",
        fact("HAS_NOTE", "hangs in the hall", "it hangs in the hall"),
    ),
    "rent": (
        "law",
        fact("HAS_NOTE", "arrears of £31,600", "The arrears are £31,600"),
        "Correction: the arrears are £29,150.",
        fact("HAS_NOTE", "arrears are £29,150", "the arrears are £29,150"),
    ),
}
REPEATED = (
    ("lamp", "Order a bulb for the 45 watt pond lamp."),
    ("barber", "I'm at the barber on the 12th."),
    ("loft", "Ravi has the loft key, ask him."),
    ("fall", "Aunt Ida, 79, fell in 2018."),
    ("rent", "Our client is owed arrears of £31,600."),
)
NEWER = (
    ("lamp", "Order a bulb for the 60 watt pond lamp."),
    ("lamp", "Order 45 bulbs of glass."),
    ("barber", "I'm at the barber on 19 March 2027."),
    ("loft", "The loft is cold."),
    ("rent", "Our client is owed arrears of £29,150."),
)


async def told_of_the_change(domains: Domains, thing: str, draft: str) -> bool:
    domain, old, words, new = TAKEN_BACK[thing]
    person = domains.somebody(domain)
    await person.tells(f"{old['evidence']}.", [old])
    await person.tells(words, [{**new, "corrects": old["evidence"]}])
    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)
    return any(OTHERWISE in finding["message"] for finding in checked["findings"])


@pytest.mark.parametrize(("thing", "draft"), REPEATED, ids=[row[1] for row in REPEATED])
async def test_a_draft_that_repeats_what_was_taken_back_is_told_so(domains: Domains, thing: str, draft: str) -> None:
    assert await told_of_the_change(domains, thing, draft)


@pytest.mark.parametrize(("thing", "draft"), NEWER, ids=[row[1] for row in NEWER])
async def test_a_draft_that_gives_the_newer_value_or_only_a_like_number_is_not(
    domains: Domains, thing: str, draft: str
) -> None:
    assert not await told_of_the_change(domains, thing, draft)
