"""One sentence told in a call for each person: nothing leaves the view of one because another's call took the words.

Issue "In a model's hands", points 1 and 5. What one call took counts as the other person's alone only if the words name
that person and nobody else, and if what is left of the text is accounted for.
"""

from collections.abc import AsyncIterator, Sequence

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
ALLERGY, TAKES = "HAS_ALLERGY_TO", "TAKES"


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "shared", ("clinical",)) as opened:
        yield opened


JOINT = (
    ("Both Ben and his sister are allergic to eggs. She takes ramipril.", "eggs", "She takes ramipril"),
    ("Is allergic to mustard. Takes ramipril.", "mustard", "Takes ramipril"),
)


@pytest.mark.parametrize("first", [0, 1], ids=["the other after", "the other before"])
@pytest.mark.parametrize(("said", "thing", "takes"), JOINT, ids=[row[1] for row in JOINT])
async def test_what_may_be_said_of_both_stays_in_view_with_the_one_whose_call_left_it_out(
    domains: Domains, first: int, said: str, thing: str, takes: str
) -> None:
    person, other = domains.somebody("clinical"), domains.somebody("clinical")
    calls: Sequence[tuple[Person, str, Given]] = (
        (person, f"Anna Quist {person.id}", fact(TAKES, "ramipril", takes)),
        (other, f"Ben Quist {other.id}", fact(ALLERGY, thing, said.split(". ", maxsplit=1)[0])),
    )

    for each, called, given in (calls[first], calls[1 - first]):
        await each.tells(said, [given], subject_name=called)

    for each in (person, other):
        assert thing in (await each.block("What must I look out for?")).casefold()


async def test_one_call_for_each_of_two_leaves_the_allergy_with_both(domains: Domains) -> None:
    anna, ben = domains.somebody("clinical"), domains.somebody("clinical")
    said = "Anna and Ben are allergic to nuts."

    await anna.tells(said, [fact(ALLERGY, "nuts", said[:-1])], subject_name="Anna Moll")
    await ben.tells(said, [fact(ALLERGY, "nuts", "Ben are allergic to nuts")], subject_name="Ben Moll")

    for person in (anna, ben):
        [known] = [each for (relation, _), each in (await person.facts()).items() if relation == ALLERGY]
        assert known["status"] == "active"


async def test_what_takes_back_a_fact_goes_on_waiting_when_the_other_call_takes_its_part(domains: Domains) -> None:
    person, ben = domains.somebody("clinical"), domains.somebody("clinical")
    name = f"Iris Moll {person.id}"
    await person.tells("I am allergic to kiwi.", [fact(ALLERGY, "kiwi", "I am allergic to kiwi")], subject_name=name)
    said = "I take ramipril. My kiwi allergy was wrong. My son Ben is allergic to latex."

    await person.tells(said, [fact(TAKES, "ramipril", "I take ramipril")], subject_name=name)
    before = await person.waiting()
    latex = fact(ALLERGY, "latex", "My son Ben is allergic to latex")
    await ben.tells(said, [latex], subject_name=f"Ben Moll {ben.id}")

    assert before
    assert await person.waiting()
    assert (await person.facts())[ALLERGY, "kiwi"]["status"] == "active"
