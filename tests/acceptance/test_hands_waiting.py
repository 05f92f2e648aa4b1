"""What waits beside a record, over MCP: marked where its fact no longer holds, and named for what its words name.

Issue "In a model's hands", points 5 and 7.
"""

from collections.abc import AsyncIterator

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
NOTE = "HAS_NOTE"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "waiting", ("personal",)) as opened:
        yield opened


SAID = (
    "Coffee with Sanna on Friday. The spare key hangs at Ivo's since 9 May, and she's allergic to kiwi and can't have "
    "sulfa. The stove is new."
)
KEY = "spare key hangs at Ivo's since 9 May"
RIGHT = "I mixed that up: the spare key hangs at Ivo's since 19 May."


@pytest.fixture
async def corrected(domains: Domains) -> Person:
    """Somebody of whom a statement waits, a fact of which was corrected since."""
    person = domains.somebody("personal")
    await person.tells(SAID, [fact(NOTE, KEY, f"The {KEY}")])
    new = fact(NOTE, "spare key hangs at Ivo's since 19 May", "the spare key hangs at Ivo's since 19 May", corrects=KEY)
    await person.tells(RIGHT, [new])
    return person


async def test_waiting_words_whose_fact_was_corrected_are_marked(corrected: Person) -> None:
    block = await corrected.block("What is there to mind?")

    waiting = [line for line in block.splitlines() if line.startswith("NOT YET READ") and "9 May" in line]
    assert waiting
    assert all("9 May (no longer so" in line or "9 May (disputed" in line for line in waiting)


async def test_only_what_the_quoted_words_name_is_said_to_be_named(corrected: Person) -> None:
    block = await corrected.block("Prepare me for Sanna: what are the points?")

    assert [line for line in block.splitlines() if ", names Sanna" in line and "Sanna" not in line.split('"')[1]] == []
    assert "kiwi" in block


async def test_a_relative_who_is_named_before_is_no_name_of_whoever_is_named_behind(domains: Domains) -> None:
    person = domains.somebody("personal")
    said = "So that you know: Piet's my nephew, Wiebke is 11, and Lars is my cousin, Wiebke too is at school."

    await person.tells(said, [fact("HAS_AGE", "11", "Wiebke is 11")], subject_name=f"Wiebke {person.id}", speaker="Ute")

    assert "IS_CALLED" not in {relation for relation, _ in await person.facts()}


async def test_a_thing_of_the_person_behind_anothers_clause_is_theirs(domains: Domains) -> None:
    other, person = domains.somebody("personal"), domains.somebody("personal")
    said = "Ansgar has two walks - at 7 and 5 - and Quirin's heat mat goes on at dusk."

    await other.tells(said, [fact("HAS_DETAIL", "two walks", "Ansgar has two walks")], subject_name="Ansgar")
    mat = fact("HAS_DETAIL", "heat mat goes on at dusk", "Quirin's heat mat goes on at dusk")
    told = await person.tells(said, [mat], subject_name="Quirin")

    assert [each["verdict"] for each in told["results"]] == ["stored"]


@pytest.mark.parametrize(("name", "forbidden"), [("Tilda", False), ("Mechthild", True)])
async def test_an_order_not_to_call_somebody_so_forbids_that_name_alone(
    domains: Domains, name: str, forbidden: bool
) -> None:
    person = domains.somebody("personal")
    said = "The school writes Mechthild, but she hates it, never call her that."
    given = fact("INSTRUCTS", "never call her that", "never call her that", means="never call Tilda Mechthild")
    await person.tells(said, [given], subject_name=f"Ute {person.id}")

    found = await person.assistant.call("memory_check_text", text=f"Waffles for {name}.", subject=person.id)

    assert (found["verdict"] == "conflict") == forbidden
