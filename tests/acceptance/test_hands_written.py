"""What a model's hands write, over MCP: what goes is gone or named, what is shown is not stated, and who is who.

Issue "In a model's hands": every turn helps, corrections land, nothing is lost.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from itertools import count

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections_by_kind import Domains

pytestmark = pytest.mark.anyio
ALLERGY, NOTE = "HAS_ALLERGY_TO", "HAS_NOTE"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with AsyncExitStack() as stack:
        clients: dict[str, Assistant] = {}
        for schema in ("clinical", "personal", "law", "finance"):
            installed = standing.with_settings(schema=schema, data_dir=str(standing.folder / f"{schema}-written"))
            clients[schema] = await stack.enter_async_context(in_a_task_of_its_own(installed.client()))
        yield Domains(clients, count())


SHOWN = (
    ('Can you check this? "Dear Ms Roth, the rent is 870 euros from 1 May 2027. At most 2 bikes may stand there."', 0),
    ("Draft for the club: the hall in Brema costs 310 euros. We decided to move to Fulda. At most 9 may come.", 0),
    ("In the film Captain Roth pays 310 crowns to the Duke. We decided to flee. At most 9 may come.", 1),
)


@pytest.mark.parametrize(("said", "read"), SHOWN, ids=["quoted", "a draft", "states nothing"])
async def test_what_is_only_shown_is_no_data_of_the_summary(domains: Domains, said: str, read: int) -> None:
    person = domains.somebody("personal")

    await person.tells(said, [] if read else None, conversation_id="t", reply="It reads well.")

    summary = await person.assistant.call("memory_get_summary", conversation_id="t", subject=person.id)
    assert summary["sections"].keys().isdisjoint({"key_data", "constraints", "current_conclusion"})


async def test_what_the_person_states_beside_it_stays_data_of_the_summary(domains: Domains) -> None:
    person = domains.somebody("personal")
    said = 'The club is called "Zur Linde" and meets in Fulda. We decided to leave it in May. At most 9 may come.'

    await person.tells(said, None, conversation_id="t", reply="Noted.")

    sections = (await person.assistant.call("memory_get_summary", conversation_id="t", subject=person.id))["sections"]
    assert "Fulda" in str(sections["key_data"])
    assert "leave it in May" in str(sections["current_conclusion"])
    assert "At most 9" in str(sections["constraints"])
