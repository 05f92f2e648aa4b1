"""A name that only a recorded note, date or order holds is known from that fact, which the check quotes; over MCP.

Issue "In a model's hands", points 2 and 7: a helper, a broker or a depot is no stranger to the record.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
SAID = "Payments go through Ronneby, our clerk, by phone only. The Vantaa depot shuts on 30 September 2027."
NOTE = fact("HAS_NOTE", "Payments go through Ronneby", "Payments go through Ronneby, our clerk, by phone only")
SHUTS = fact("HAS_DATE", "Vantaa depot shuts", "The Vantaa depot shuts on 30 September 2027")


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "noted-names", ("finance",)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("draft", "known", "unknown"),
    [
        ("Ronneby will wire it as always.", {"Ronneby": "Payments go through Ronneby"}, ""),
        ("Ask Ronneby and Vantaa about the crates.", {"Ronneby": "Payments go", "Vantaa": "Vantaa depot shuts"}, ""),
        ("Take the crates to Porvoo.", {}, "Porvoo"),
    ],
)
async def test_a_name_of_a_note_is_known_from_it(
    domains: Domains, draft: str, known: dict[str, str], unknown: str
) -> None:
    person = domains.somebody("finance")
    await person.tells(SAID, [NOTE, SHUTS])

    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    strange = " ".join(gap for gap in checked["gaps"] if "NOT RECOGNISED" in gap)
    assert checked["verdict"] != "nothing_found"
    assert bool(strange) == bool(unknown)
    assert unknown in strange
    for name, quote in known.items():
        assert any(gap.startswith(f"{name} is known from") and quote in gap for gap in checked["gaps"])
