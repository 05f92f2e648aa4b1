"""Notes that a request asks for stand in its block, whatever its action reads; over MCP.

Issue "In a model's hands", point 7: nothing told is unfindable.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from tests.acceptance.conftest import Assistant, Installation, in_a_task_of_its_own
from tests.acceptance.test_corrections import Person, fact

pytestmark = pytest.mark.anyio
NOTES = (
    "Ulrike opens the yard mon and wed",
    "Bosse brings the keys at 4.30",
    "the lid of the skip is cracked",
    "the surveyor looks in on 3 March 2027",
    "the cousin lives abroad",
    "the code of the side gate round the back is 5521",
)


@pytest.fixture(scope="module")
async def person(standing: Installation) -> AsyncIterator[Person]:
    async with AsyncExitStack() as stack:
        one = standing.with_settings(schema="law", data_dir=str(standing.folder / "law-notes"))
        client: Assistant = await stack.enter_async_context(in_a_task_of_its_own(one.client()))
        made = Person(client, "N1")
        for note in NOTES:
            await made.tells(f"{note[0].upper()}{note[1:]}.", [fact("HAS_NOTE", note, f"{note[0].upper()}{note[1:]}")])
        yield made


ASKED = (
    ("What are the points before we settle at 40,000?", range(6)),
    ("Settle at 40,000: which days is the yard open, and when do the keys come?", (0, 1, 3)),
    ("Do we settle at 40,000 on 3 March 2027?", (3,)),
)


@pytest.mark.parametrize(("query", "shown"), ASKED, ids=[row[0] for row in ASKED])
async def test_what_a_request_asks_for_stands_in_a_line_of_its_own(
    person: Person, query: str, shown: tuple[int, ...]
) -> None:
    lines = [line for line in (await person.block(query)).casefold().splitlines() if line.startswith("note:")]

    assert [at for at in shown if not any(NOTES[at].removeprefix("the ").casefold() in line for line in lines)] == []


async def test_a_note_that_is_only_begun_is_not_cut_before_its_number(person: Person) -> None:
    assert "is 5521" in await person.block("Do we settle at 40,000?")


@pytest.mark.parametrize(("rule", "before"), [("Ring the nurse if she gains 1.5 kg.", True), ("Ring at noon.", False)])
async def test_a_result_under_a_rule_on_its_change_shows_the_value_before(
    standing: Installation, rule: str, before: bool
) -> None:
    one = standing.with_settings(schema="personal", data_dir=str(standing.folder / "weights"))
    async with one.client() as client:
        person = Person(client, f"W{int(before)}")
        await person.tells(rule, [fact("HAS_PRECAUTION", rule[:-1], rule[:-1])])
        for said in ("She was 80.2 kg.", "She is 82.4 kg now."):
            value = {"value": said.split()[2], "unit": "kg"}
            await person.tells(said, [fact("HAS_MEASUREMENT", "weight", said[:-1], attrs=value)])

        block = await person.block("Should we mind her weight?")

    assert ("before: 80.2" in block) == before
