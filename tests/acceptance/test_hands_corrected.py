"""A check that meets a corrected fact quotes the correction beside it, over MCP, as the block does.

Issue "In a model's hands", point 5: the refuted words alone read as if they stood, until somebody approves the change.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
SAID = "One heaped spoon of thickening powder in each cup."
WRONG = "I mixed the two up: the thickening powder is Gunnel's, he drinks everything thin."


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "corrected", ("personal", "clinical")) as opened:
        yield opened


@pytest.mark.parametrize("domain", ["personal", "clinical"])
async def test_a_finding_of_a_corrected_fact_quotes_the_correction(domains: Domains, domain: str) -> None:
    person = domains.somebody(domain)
    await person.tells(SAID, [fact("HAS_PRECAUTION", "One heaped spoon of thickening powder in each cup", SAID[:-1])])
    wrong = "the thickening powder is Gunnel's, he drinks everything thin"
    taken = fact("HAS_PRECAUTION", "thickening powder", wrong, "refuted", corrects="heaped spoon of thickening powder")
    await person.tells(WRONG, [taken])

    draft = "Put a heaped spoon of thickening powder in his tea."
    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    met = [found for found in checked["findings"] if "heaped spoon" in f"{found['message']} {found.get('said', '')}"]
    assert met
    assert all("CORRECTED 20" in found["said"] and "drinks everything thin" in found["said"] for found in met)
