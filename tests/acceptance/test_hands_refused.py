"""One claim of a call is refused, over MCP: nothing is stored that the caller did not give, and no risk goes silent.

Issue "In a model's hands", points 1 and 7: whoever gives facts has read the text, whatever becomes of one of them.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, fact, fates
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
TEXT = "Round of today. Ottilie 61.5 kg. Lotte: iron tablets 100 mg started. She is allergic to latex."
WEIGHT = fact("HAS_MEASUREMENT", "weight", "Ottilie 61.5 kg", attrs={"value": "61.5", "unit": "kg"})
REFUSED = {
    "evidence not in the text": fact("HAS_MEASUREMENT", "weight", "Ottilie 65 kg", attrs={"value": "65"}),
    "object not in the text": fact("HAS_IMPLANTS", "hip screw", "Round of today"),
    "no such relation": fact("HAS_WEIGHT", "61.5 kg", "Ottilie 61.5 kg"),
}


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "refused", ("clinical",)) as opened:
        yield opened


@pytest.mark.parametrize("given", [[], [WEIGHT]], ids=["alone", "beside another"])
@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
async def test_nothing_is_stored_that_the_call_did_not_give(
    domains: Domains, given: list[Given], refused: Given
) -> None:
    person = domains.somebody("clinical")

    told = await person.tells(TEXT, [*given, refused])

    assert [each["verdict"] for each in fates(told)][len(given) :] != ["stored"]
    kept = {("HAS_MEASUREMENT", "weight in kg")} if given else set()
    assert {(relation, name.casefold()) for relation, name in await person.facts()} == kept


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
async def test_a_risk_that_the_call_did_not_list_stays_in_view(domains: Domains, refused: Given) -> None:
    person = domains.somebody("clinical")

    await person.tells(TEXT, [WEIGHT, refused])

    waiting = [line for line in (await person.block()).splitlines() if "latex" in line]
    assert waiting
    assert all("NOT YET READ" in line for line in waiting)


async def test_a_risk_whose_own_claim_is_refused_stays_in_view(domains: Domains) -> None:
    person = domains.somebody("clinical")

    await person.tells(TEXT, [WEIGHT, fact("HAS_ALLERGY_TO", "latex", "She has a latex allergy")])

    assert "latex" in await person.block()


@pytest.mark.parametrize(
    "refused",
    [
        fact("HAS_REACTION_TO", "latex", "She is allergic to latex"),
        fact("TAKES", "iron tablets", "iron tablets 100 mg started", status="paused"),
        fact("TAKES", "iron tablets", "iron tablets 100 mg started", dose="100 mg"),
    ],
    ids=["no such relation", "no such status", "no such field"],
)
async def test_the_sentence_of_a_malformed_claim_waits_with_the_reason(domains: Domains, refused: Given) -> None:
    person = domains.somebody("clinical")

    told = await person.tells(TEXT, [WEIGHT, refused])

    assert fates(told)[1]["verdict"] == "waits"
    waiting = str(await person.waiting())
    assert str(refused["evidence"]) in waiting
