"""A correction under another word than the thing's is of the same thing and keeps what it does not change, over MCP.

Issue "In a model's hands", point 5.
"""

from collections.abc import AsyncIterator, Mapping

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
TAKES = "TAKES"
SAID = "She takes edoxaban 30 mg at six."
ROWS: tuple[tuple[str, str, str, Mapping[str, str], Mapping[str, str]], ...] = (
    (
        "The resume time is 09:00 tomorrow, not noon.",
        "resume",
        "edoxaban",
        {"since": "09:00 tomorrow"},
        {"dose": "30 mg", "since": "09:00 tomorrow"},
    ),
    (
        "She is up to a whole tablet at night.",
        "tablet",
        "",
        {"dose": "a whole tablet at night"},
        {"dose": "a whole tablet at night"},
    ),
    ("The dosage is 60 mg now.", "dosage", "", {"dose": "60 mg"}, {"dose": "60 mg"}),
)


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "same", ("clinical",)) as opened:
        yield opened


@pytest.mark.parametrize(("said", "thing", "means", "attrs", "kept"), ROWS, ids=[row[1] for row in ROWS])
async def test_a_correction_under_another_word_is_of_the_same_thing(
    domains: Domains, said: str, thing: str, means: str, attrs: Mapping[str, str], kept: Mapping[str, str]
) -> None:
    person = domains.somebody("clinical")
    await person.tells(SAID, [fact(TAKES, "edoxaban", SAID[:-1], attrs={"dose": "30 mg"})])
    more = {"means": means} if means else {}

    await person.tells(said, [fact(TAKES, thing, said[:-1], attrs=attrs, corrects="edoxaban", **more)])

    [(key, known)] = (await person.facts()).items()
    assert (key, known["status"]) == ((TAKES, "edoxaban"), "active")
    assert {name: known["attrs"].get(name) for name in kept} == kept


async def test_a_correction_under_the_name_of_another_thing_puts_that_in_its_place(domains: Domains) -> None:
    person = domains.somebody("clinical")
    await person.tells(SAID, [fact(TAKES, "edoxaban", SAID[:-1], attrs={"dose": "30 mg"})])
    right = "It is apixaban, 5 mg."

    await person.tells(right, [fact(TAKES, "apixaban", right[:-1], attrs={"dose": "5 mg"}, corrects="edoxaban")])

    status = {thing: known["status"] for (_, thing), known in (await person.facts()).items()}
    assert status == {"edoxaban": "refuted", "apixaban": "active"}
