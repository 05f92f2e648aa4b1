"""The same text told once for each person in it, over MCP: what a call read of its person waits with nobody else.

Issue "In a model's hands", points 1 and 7. A risk that no call stored stays in view with all whom it may be about.
"""

from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.test_corrections import Given, Person, fact
from tests.acceptance.test_corrections_by_kind import Domains, domains_of

pytestmark = pytest.mark.anyio
ALLERGY, TAKES, NOTE, NEVER, CONDITION = (
    "HAS_ALLERGY_TO",
    "TAKES",
    "HAS_NOTE",
    "IS_CONTRAINDICATED_WITH",
    "HAS_CONDITION",
)
Calls = Mapping[str, Sequence[Given]]


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    async with domains_of(standing, "one-text", ("clinical", "personal")) as opened:
        yield opened


WARD = (
    "Bay 1 Mrs Ottilie Brandt 77, second day after a knee, latex allergy - collapsed in 2009. "
    "Bay 2 Mr Kenji Mori 58, pneumonia, on clopidogrel 75 mg and 3 L oxygen. "
    "Bay 3 Mrs Odile Brandon 66, gout, can't have codeine. Brandt and Brandon were mixed up once."
)
WARD_CALLS: Calls = {
    "Ottilie Brandt": [
        fact(ALLERGY, "latex", "latex allergy - collapsed in 2009"),
        fact(NOTE, "Bay 1", "Bay 1 Mrs Ottilie Brandt 77"),
    ],
    "Kenji Mori": [
        fact(TAKES, "clopidogrel", "on clopidogrel 75 mg", attrs={"dose": "75 mg"}),
        fact(CONDITION, "pneumonia", "pneumonia"),
    ],
    "Odile Brandon": [fact(ALLERGY, "codeine", "can't have codeine"), fact(NOTE, "Bay 3", "Bay 3 Mrs Odile Brandon")],
}
VISIT = (
    "Granny's Lotte, 90, deaf, she's on digoxin and warfarin. Grandpa is Emil, 91, heart failure, fluid at most "
    "1.2 litres a day and no naproxen or anything of the sort. Our Petra's coming on the 3rd but she's allergic "
    "to kiwi."
)
VISIT_CALLS: Calls = {
    "Lotte": [
        fact(CONDITION, "deaf", "Granny's Lotte, 90, deaf"),
        fact(TAKES, "warfarin", "she's on digoxin and warfarin"),
        fact(TAKES, "digoxin", "she's on digoxin"),
    ],
    "Emil": [
        fact(CONDITION, "heart failure", "heart failure"),
        fact("DOSE_LIMIT", "fluid", "fluid at most 1.2 litres a day", attrs={"max": "1.2 litres a day"}),
        fact(NEVER, "naproxen", "no naproxen or anything of the sort"),
    ],
    "Petra": [
        fact(NOTE, "coming on the 3rd", "Our Petra's coming on the 3rd"),
        fact(ALLERGY, "kiwi", "she's allergic to kiwi"),
    ],
}
TOLD = (
    pytest.param("clinical", WARD, WARD_CALLS, id="ward"),
    pytest.param("personal", VISIT, VISIT_CALLS, id="visit"),
)


async def told(domains: Domains, domain: str, text: str, calls: Calls, order: Sequence[str]) -> dict[str, Person]:
    """The people of a text, after a call for each in this order."""
    people = {name: domains.somebody(domain) for name in calls}
    for name in order:
        named = f"{name} {people[name].id}"
        talk = f"talk-{people[order[0]].id}"
        await people[name].tells(text, calls[name], subject_name=named, speaker="nurse", conversation_id=talk)
    return people


@pytest.mark.parametrize("step", [1, -1], ids=["in order", "the last first"])
@pytest.mark.parametrize(("domain", "text", "calls"), TOLD)
async def test_what_each_call_read_waits_with_nobody_else(
    domains: Domains, domain: str, text: str, calls: Calls, step: int
) -> None:
    people = await told(domains, domain, text, calls, [*calls][::step])

    assert {name: await person.waiting() for name, person in people.items()} == {name: [] for name in people}


LEFT = (("clinical", WARD, WARD_CALLS, "Odile Brandon", 0), ("personal", VISIT, VISIT_CALLS, "Petra", 1))


@pytest.mark.parametrize("step", [1, -1], ids=["in order", "the last first"])
@pytest.mark.parametrize(("domain", "text", "calls", "name", "at"), LEFT, ids=[row[3] for row in LEFT])
async def test_a_risk_that_no_call_stored_stays_in_view(
    domains: Domains, domain: str, text: str, calls: Calls, name: str, at: int, step: int
) -> None:
    left = calls[name][at]
    some = {**calls, name: [each for each in calls[name] if each is not left]}
    people = await told(domains, domain, text, some, [*calls][::step])

    assert str(left["object"]) in str(await people[name].waiting())


SHARED = (
    "Ottilie, like Kenji, is allergic to latex. Kenji takes clopidogrel.",
    "Both of them, so Ottilie for one, can't have latex. Kenji takes clopidogrel.",
    "Ottilie and her brother are allergic to latex. Kenji takes clopidogrel.",
    "There is an allergy to latex. Ottilie is well. Kenji takes clopidogrel.",
    "Is allergic to latex, as his sister Ottilie is. Kenji takes clopidogrel.",
)


@pytest.mark.parametrize("step", [1, -1], ids=["in order", "the last first"])
@pytest.mark.parametrize("text", SHARED)
async def test_a_risk_that_may_be_of_both_stays_in_view_with_the_other(domains: Domains, text: str, step: int) -> None:
    evidence = next(each for each in text.split(". ") if "latex" in each)
    calls: Calls = {
        "Ottilie Brandt": [fact(ALLERGY, "latex", evidence)],
        "Kenji Mori": [fact(TAKES, "clopidogrel", "Kenji takes clopidogrel")],
    }
    people = await told(domains, "clinical", text, calls, [*calls][::step])

    assert "latex" in (await people["Kenji Mori"].block("What must I look out for?")).casefold()


@pytest.mark.parametrize("step", [1, -1], ids=["in order", "the last first"])
async def test_what_waits_with_others_holds_the_name_whose_words_they_are(domains: Domains, step: int) -> None:
    text = "Bay 1 Mrs Ottilie Brandt 77, second day after a knee, allergic to latex. Bay 2 Mr Kenji Mori, pneumonia."
    calls = {
        "Ottilie Brandt": [fact(NOTE, "Bay 1", "Bay 1 Mrs Ottilie Brandt 77")],
        "Kenji Mori": [fact(CONDITION, "pneumonia", "Mr Kenji Mori, pneumonia")],
    }
    people = await told(domains, "clinical", text, calls, [*calls][::step])

    for person in people.values():
        quotes = (await person.block("What must I look out for?")).split('"')
        assert all("Ottilie Brandt" in each for each in quotes if "latex" in each)


MOVES = "Sefton moved to bay 9, Mr Ames is in bay 4 now. Forget the taxi for Sefton. Ulla is afebrile, doxycycline too."
BEFORE = "Sefton is in bay 4 and has a taxi at noon. Ulla is in bay 5 and takes amoxicillin."


@pytest.mark.parametrize("step", [1, -1], ids=["in order", "the last first"])
async def test_what_corrects_a_fact_of_one_waits_with_nobody_else(domains: Domains, step: int) -> None:
    before: Calls = {
        "Sefton": [fact(NOTE, "bay 4", "Sefton is in bay 4"), fact(NOTE, "taxi at noon", "has a taxi at noon")],
        "Ulla": [fact(NOTE, "bay 5", "Ulla is in bay 5"), fact(TAKES, "amoxicillin", "takes amoxicillin")],
    }
    people = await told(domains, "clinical", BEFORE, before, [*before])
    calls: Calls = {
        "Sefton": [
            fact(NOTE, "bay 9", "Sefton moved to bay 9", corrects="bay 4"),
            fact(NOTE, "taxi", "Forget the taxi for Sefton", "resolved", corrects="taxi at noon"),
        ],
        "Ulla": [fact(TAKES, "doxycycline", "Ulla is afebrile, doxycycline too", corrects="amoxicillin")],
    }

    for name in [*calls][::step]:
        await people[name].tells(MOVES, calls[name], subject_name=f"{name} {people[name].id}", speaker="nurse")

    assert {name: await person.waiting() for name, person in people.items()} == {name: [] for name in people}
