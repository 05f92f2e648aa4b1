"""What the owner of a personal memory says of "he" or "she" is never certain of the owner."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from r_memory import Memory, Settings, open_memory
from tests.acceptance.conftest import begin

pytestmark = pytest.mark.anyio

OF_SOMEBODY = (
    "My mum is here. She is allergic to wasp stings.",
    "My partner Jonas is coming. He's allergic to hazelnuts.",
    "Pia is coming on Friday. She can't have milk.",
    "My flatmate came back from the clinic. He takes warfarin.",
)
OF_THE_OWNER = (
    ("The nurse was kind. I am allergic to latex.", "Latex"),
    ("My sister says that I can't have penicillin. I am allergic to it.", "Penicillin"),
)


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[Memory]:
    begin(tmp_path, "personal")
    async with open_memory(Settings(data_dir=tmp_path, schema="personal")) as opened:
        yield opened


async def test_whom_the_owner_calls_he_or_she_is_never_certainly_the_owner(memory: Memory) -> None:
    told = [await memory.remember(text, dry_run=True) for text in OF_SOMEBODY]

    assert [fact.object.name for heard in told for fact in heard.facts if fact.status == "active"] == []


async def test_what_the_owner_says_of_themselves_beside_others_stays_certain(memory: Memory) -> None:
    for text, thing in OF_THE_OWNER:
        heard = await memory.remember(text, dry_run=True)
        assert {fact.object.name for fact in heard.facts if fact.status == "active"} == {thing}, text
