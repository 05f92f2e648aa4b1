"""Drafts that keep to what is recorded: they do without a thing, stay within a limit, or do something else.

Each line is told of a new person by a caller that read it; issue 28.
"""

from collections.abc import AsyncIterator, Sequence

import pytest

from tests.acceptance.conftest import Installation
from tests.acceptance.drafts_desk import NO_ALLERGY, Desk, Told, opened_desk

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def desk(standing: Installation) -> AsyncIterator[Desk]:
    async with opened_desk(standing) as opened:
        yield opened


HIVES = Told(
    "I came out in hives from penicillin as a boy.", "HAS_ALLERGY_TO", "penicillin", attrs={"reaction": "hives"}
)
GLOVES = Told("Latex makes my lips swell up.", "HAS_ALLERGY_TO", "latex", attrs={"reaction": "lips swell up"})
DYE = Told("The iodinated contrast made him go blue.", "HAS_CONTRAST_ALLERGY", "iodinated contrast")
METAL = Told("No implants and no metal in her.", "HAS_IMPLANTS", "any", "negated")
CLIP = Told("A steel clip on a brain aneurysm since 1985.", "HAS_IMPLANTS", "aneurysm clip")
COVER = Told("Prednisolone 50 mg before any contrast.", "GIVE_BEFORE", "prednisolone", attrs={"before": "contrast"})


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("CT head without contrast tonight", [NO_ALLERGY]),
        ("CT head without contrast", [NO_ALLERGY, DYE]),
        ("Non-contrast CT of the chest", [NO_ALLERGY, DYE]),
        ("MRI of the knee, no contrast", [NO_ALLERGY, DYE, METAL]),
        ("CT head without contrast", [NO_ALLERGY, CLIP]),
        ("Insert a latex-free urinary catheter", [GLOVES]),
        ("Start a penicillin-free regimen: azithromycin 500 mg once daily", [HIVES]),
    ],
)
async def test_what_a_draft_does_without_is_not_ordered(desk: Desk, draft: str, said: Sequence[Told]) -> None:
    check = await desk.checked("clinical", draft, *said)

    assert check.verdict == "nothing_found", (check.findings, check.gaps)


@pytest.mark.parametrize(
    ("draft", "said"),
    [
        ("Give without delay penicillin V 500 mg", HIVES),
        ("Treat the throat, but not without penicillin", HIVES),
        ("He cannot go without penicillin V", HIVES),
        ("Without penicillin he will get worse, so start it now", HIVES),
        ("Penicillin V 500 mg, free of charge", HIVES),
        ("Penicillin free at the point of care, start today", HIVES),
        ("No latex-free gloves in the drawer, use the others", GLOVES),
        ("Latex gloves, powder-free", GLOVES),
        ("CT head with and without contrast", DYE),
        ("CT head without contrast, then with", DYE),
        ("CT without contrast allergy questions, iodinated contrast 80 ml", DYE),
        ("CT abdomen with iodinated contrast without prednisolone", COVER),
    ],
)
async def test_what_a_draft_does_not_do_without_stays_in_view(desk: Desk, draft: str, said: Told) -> None:
    check = await desk.checked("clinical", draft, said)

    assert check.findings != ()


AGE = Told("Ilona is four years old.", "HAS_AGE", "age", attrs={"value": 4, "unit": "year"}, speaker="mother")
WEIGHT = Told(
    "She weighs 16 kg on our scales today.",
    "HAS_MEASUREMENT",
    "weight",
    attrs={"value": 16, "unit": "kg"},
    speaker="nurse",
)
SYRUP = Told("She takes co-codamol syrup from her aunt.", "TAKES", "co-codamol", speaker="mother")


@pytest.mark.parametrize(
    ("draft", "said", "verdict"),
    [
        ("Paracetamol 200 mg every 6 hours as needed", [AGE, WEIGHT], "nothing_found"),
        ("Paracetamol 500 mg every 6 hours", [AGE, WEIGHT], "conflict"),
        ("Paracetamol 200 mg every 6 hours", [AGE], "warning"),
        ("Paracetamol 200 mg as needed", [AGE, WEIGHT], "warning"),
        ("Paracetamol 200 mg every 6 hours and 100 mg as needed", [AGE, WEIGHT], "warning"),
        ("Paracetamol 200 mg every 6 hours", [AGE, WEIGHT, SYRUP], "conflict"),
    ],
    ids=["kept", "broken", "no-weight", "how-often", "more", "in-use"],
)
async def test_a_dose_within_the_rule_by_weight_is_no_finding(
    desk: Desk, draft: str, said: Sequence[Told], verdict: str
) -> None:
    check = await desk.checked("clinical", draft, NO_ALLERGY, *said)

    assert check.verdict == verdict, (check.findings, check.gaps)
