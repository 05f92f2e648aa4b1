"""Words that wait with one person and are about another are settled by a client, where that person's record holds them.

Issue "In a model's hands", points 1 and 6. What may be the first one's as well waits on until a person decides.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
ALLERGY = "HAS_ALLERGY_TO"
READ = {"change": "dismiss", "reason": "it is about her, the doctor says"}


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "settled", ("clinical",)) as opened:
        yield opened


async def pair(domains: Domains, last: str) -> tuple[Person, Person]:
    """Somebody with whom these words wait, and another whom they name."""
    one, other = domains.somebody("clinical"), domains.somebody("clinical")
    await one.tells("He sleeps well.", [], subject_name=f"Ruben {one.id}")
    said = "She is allergic to penicillin."
    await other.tells(said, [fact(ALLERGY, "penicillin", said[:-1])], subject_name=f"Wilma {other.id}")
    text = f"Those were his bloods. Nothing to do with Wilma. {last}"
    await one.tells(text, [], subject_name=f"Ruben {one.id}")
    return one, other


async def test_what_is_on_record_with_the_person_it_is_about_is_settled(domains: Domains) -> None:
    one, other = await pair(domains, "Penicillin is hers, as ever.")
    [waiting] = await one.waiting()

    kept = await one.assistant.call("memory_change_fact", fact_id=waiting["episode_id"], **READ, confirm=True)
    await one.assistant.refused("memory_change_fact", fact_id=waiting["episode_id"], subject=other.id, **READ)
    settled = await one.assistant.call(
        "memory_change_fact", fact_id=waiting["episode_id"], subject=other.id, **READ, confirm=True
    )

    assert (kept["outcome"], settled["outcome"]) == ("requested", "changed")
    assert "call again with that subject" in kept["note"]
    assert await one.waiting() == []
    assert (ALLERGY, "penicillin") in await other.facts()
    draft = "Give phenoxymethylpenicillin for a week."
    checked = await one.assistant.call("memory_check_text", text=draft, subject=one.id)
    assert not [found for found in checked["findings"] if "hers" in str(found)]


BOTH = (
    "Penicillin and latex allergies are hers, as ever.",
    "They are both allergic to penicillin.",
    "Ruben reacts to penicillin like her.",
)


@pytest.mark.parametrize("last", BOTH)
async def test_what_that_record_does_not_hold_or_both_may_have_waits(domains: Domains, last: str) -> None:
    one, other = await pair(domains, last)
    [waiting] = await one.waiting()

    out = await one.assistant.call(
        "memory_change_fact", fact_id=waiting["episode_id"], subject=other.id, **READ, confirm=True
    )

    assert out["outcome"] == "requested"
    assert [each["episode_id"] for each in await one.waiting()] == [waiting["episode_id"]]
