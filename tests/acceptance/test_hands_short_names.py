"""A draft that names a forbidden party by one word of its name is warned of, over MCP.

Issue "In a model's hands", points 2 and 7: a restriction names a bank in full, the order has the word that people use.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
SAID = "Nothing whatever issued by Cassa Vell'Arno."
GIVEN = fact("RESTRICTED_FROM", "Cassa Vell'Arno", SAID[:-1])


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "short", ("finance",)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("draft", "meets"),
    [
        ("Buy Vell'Arno 2033 senior.", True),
        ("Bonds 40%, incl. 3% Vell'Arno 2033 senior at 5.1%.", True),
        ("Buy Montefalco 2033 senior.", False),
    ],
)
async def test_a_word_of_a_forbidden_name_is_warned_of(domains: Domains, draft: str, meets: bool) -> None:
    person = domains.somebody("finance")
    await person.tells(SAID, [GIVEN])

    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    found = [each for each in checked["findings"] if "MAY BE Cassa Vell'Arno" in each["message"]]
    assert bool(found) == meets
    assert all(each["verdict"] == "warning" and "RESTRICTED" in each["message"] for each in found)
