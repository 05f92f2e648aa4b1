"""What blind players found with the server in a model's hands, over MCP: what a caller sends is kept as it was said.

Issue "In a model's hands": every turn helps, corrections land, nothing is lost.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact
from tests.acceptance.test_corrections_by_kind import Domains

pytestmark = pytest.mark.anyio
TAKES = "TAKES"
OTHERWISE, UNTOLD = "The record says otherwise", "is without a unit"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with AsyncExitStack() as stack:
        clients: dict[str, Assistant] = {}
        for schema in ("clinical", "personal"):
            one = standing.with_settings(schema=schema, data_dir=str(standing.folder / f"{schema}-hands"))
            clients[schema] = await stack.enter_async_context(in_a_task_of_its_own(one.client()))
        yield Domains(clients, count())


@pytest.fixture
def person(domains: Domains) -> Person:
    return domains.somebody("clinical")


DOSES = (
    ("She takes naproxen, 250 at a time.", "naproxen", "250", "Naproxen 500 mg with breakfast.", OTHERWISE),
    ("She takes naproxen, 250 at a time.", "naproxen", "250", "Naproxen 250 mg with breakfast.", ""),
    ("She takes naproxen, 250 mg.", "naproxen", "250 mg", "Carry on with naproxen 500 twice daily.", OTHERWISE),
    ("She takes naproxen, 250 mg.", "naproxen", "250 mg", "Naproxen 14 days, then stop.", ""),
    ("He takes two senna at night.", "senna", "two", "Senna 15 mg at night.", UNTOLD),
    ("He takes two senna at night.", "senna", "two", "Senna, three tablets at night.", OTHERWISE),
    ("He takes two senna at night.", "senna", "two", "Senna, two tablets at night.", ""),
    ("He takes levothyroxine, 75.", "levothyroxine", "75", "Levothyroxine 0.075 mg before breakfast.", UNTOLD),
    ("He takes levothyroxine since 2019.", "levothyroxine", "", "Levothyroxine 75 micrograms daily.", ""),
)


@pytest.mark.parametrize(
    ("said", "thing", "dose", "draft", "told"), DOSES, ids=[f"{row[2]}: {row[3]}" for row in DOSES]
)
async def test_a_dose_without_its_unit_is_compared_or_named_as_not_compared(
    person: Person, said: str, thing: str, dose: str, draft: str, told: str
) -> None:
    attrs = {"dose": dose} if dose else {"since": "2019"}
    await person.tells(said, [fact(TAKES, thing, said[:-1], attrs=attrs)])

    checked = await person.assistant.call("memory_check_text", text=draft, subject=person.id)

    messages = [*(found["message"] for found in checked["findings"]), *checked.get("gaps", [])]
    assert [mark for mark in (OTHERWISE, UNTOLD) if any(mark in each for each in messages)] == ([told] if told else [])
