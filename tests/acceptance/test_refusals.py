"""What somebody refuses, as a capable caller hands it in, against the orders of a ward; and what such a refusal leaves
alone.
"""

from collections.abc import AsyncIterator
from itertools import count

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.blocks import DraftCheck
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


class Ward:
    """A memory, and somebody new for each check."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._numbers = count(1)

    async def checked(self, draft: str, *recorded: Claim) -> DraftCheck:
        """What a check says of a draft about somebody of whom this was read, each in words of its own."""
        who = f"R{next(self._numbers)}"
        for at, claim in enumerate(recorded):
            name = "" if at else f"Kim {who}"
            await self._memory.remember(
                claim.evidence, subject=who, subject_name=name, speaker="patient", claims=[claim]
            )
        return await self._memory.check_text(draft, subject=who)


@pytest.fixture(scope="module")
async def ward(standing: Installation) -> AsyncIterator[Ward]:
    settings = standing.with_settings(schema="clinical", space="refusals", data_dir=str(standing.folder / "refusals"))
    async with open_memory(load_settings(settings.environment)) as memory:
        yield Ward(memory)


def refused(name: str, means: str = "", **attrs: str) -> Claim:
    return Claim(relation="REFUSES", object=name, evidence=f"I will not have {name}.", means=means, attrs=attrs)


def condition(name: str, words: str, **attrs: float) -> Claim:
    return Claim(relation="HAS_CONDITION", object=name, evidence=words, attrs=attrs)


NO_ALLERGY = Claim(relation="HAS_ALLERGY_TO", object="anything", evidence="No allergies at all.", status="negated")


def gaps(check: DraftCheck) -> list[str]:
    return [gap for gap in check.gaps if "never asked" not in gap]


@pytest.mark.parametrize(
    ("refusal", "draft"),
    [
        (refused("blood transfusion"), "Transfuse a unit of packed red cells."),
        (refused("blood transfusion"), "Give a pool of platelets before the lumbar puncture."),
        (refused("blood", "blood transfusion"), "Give four units of FFP."),
        (refused("blood"), "He needs three units of blood tonight."),
        (refused("blood products"), "Order cryoprecipitate for theatre."),
        (refused("plasma"), "Give fresh frozen plasma, two bags."),
        (refused("platelets"), "Transfuse platelets this evening."),
        (refused("tube down my throat", "intubation"), "Intubate if she becomes exhausted."),
        (refused("tube down my throat", "intubation"), "Ventilate if the gases worsen."),
        (refused("breathing machine", "mechanical ventilation"), "If saturation drops below 80, ventilate."),
        (refused("ventilation"), "Intubate her in resus."),
        (refused("breathing machine", **{"except": "the mask"}), "Put him on the ventilator overnight."),
        (refused("CPR"), "Start chest compressions if there is no pulse."),
        (refused("resuscitation"), "Defibrillate if the rhythm is VF."),
        (refused("intensive care"), "Move him to ICU tonight."),
        (refused("hospital admission"), "Admit her to hospital this afternoon."),
        (refused("hospital"), "Send him to hospital by ambulance."),
        (refused("feeding tube"), "Pass an NG tube for feeding."),
        (refused("tube feeding"), "Place a PEG tube on Thursday."),
        (refused("dialysis"), "Start haemodialysis through the line."),
        (refused("haemodialysis"), "Book hemodialysis for Monday."),
        (refused("amputation"), "Amputate the toe on Friday."),
        (refused("chemo"), "Begin chemotherapy on Monday."),
        (refused("vaccination"), "Vaccinate her before discharge."),
        (refused("morphine"), "Give Oramorph 5 mg."),
        (refused("hysterectomy"), "Hysterectomy on the morning list."),
        (refused("catheter"), "Catheterise and measure the output."),
        (refused("tracheostomy"), "Plan a percutaneous tracheostomy."),
        (refused("ICD shocks"), "Defibrillate at 200 J."),
        (condition("DNACPR", "There is a DNACPR on file."), "Commence CPR should she arrest."),
    ],
)
async def test_an_order_of_what_is_refused_is_a_conflict(ward: Ward, refusal: Claim, draft: str) -> None:
    check = await ward.checked(draft, refusal)

    assert check.verdict == "conflict", check


@pytest.mark.parametrize(
    ("refusal", "draft"),
    [
        (refused("blood transfusion"), "Give 100 ml of albumin 20%."),
        (refused("blood products"), "Give IVIG over two days."),
        (refused("blood"), "Use cell salvage during the operation."),
        (refused("blood transfusion"), "Give prothrombin complex concentrate."),
        (refused("plasma"), "Transfuse one unit of red cells."),
        (refused("ventilation"), "Start CPAP at 10 cm of water."),
        (refused("breathing machine", **{"except": "the mask"}), "Start NIV overnight."),
        (refused("tube feeding"), "Insert an NG tube to drain the stomach."),
        (refused("life support"), "Start dialysis tonight."),
        (refused("PEG"), "Site a PEG tube next week."),
    ],
)
async def test_what_a_refusal_may_or_may_not_mean_is_asked(ward: Ward, refusal: Claim, draft: str) -> None:
    check = await ward.checked(draft, refusal)

    assert check.verdict == "warning", check


@pytest.mark.parametrize(
    ("refusal", "draft"),
    [
        (refused("blood"), "Take bloods tomorrow morning."),
        (refused("blood"), "Check the blood pressure twice a day."),
        (refused("blood transfusion"), "Send a blood test for iron."),
        (refused("platelets"), "Recheck the platelet count on Friday."),
        (refused("intubation"), "Start NIV overnight."),
        (refused("CPR"), "Start fluid resuscitation with a litre of saline."),
        (refused("CPR"), "Record the resuscitation status in the notes."),
        (refused("intensive care"), "Ask the critical care outreach team to come."),
        (refused("ventilation"), "Book a VQ scan."),
        (refused("plasma"), "Cefazolin 2 g before the incision"),
        (refused("breathing machine"), "Cefazolin 2 g before the incision"),
        (refused("tube down my throat", "intubation"), "Cefazolin 2 g before the incision"),
        (refused("hospital"), "Cefazolin 2 g before the incision"),
    ],
)
async def test_a_refusal_leaves_other_orders_alone(ward: Ward, refusal: Claim, draft: str) -> None:
    check = await ward.checked(draft, NO_ALLERGY, refusal)

    assert (check.findings, gaps(check)) == ((), [])


async def test_an_unknown_substance_that_is_refused_leaves_a_gap(ward: Ward) -> None:
    check = await ward.checked("Cefazolin 2 g before the incision", NO_ALLERGY, refused("zorblaxin"))

    assert check.verdict == "not_checkable"
    assert any("Zorblaxin" in gap for gap in check.gaps)


@pytest.mark.parametrize("draft", ["Paracetamol 1 g as needed", "Amoxicillin 500 mg for a week", "Panadol 500 mg"])
async def test_a_usual_choice_in_pregnancy_is_no_gap(ward: Ward, draft: str) -> None:
    pregnant = condition("pregnant", "I am 32 weeks pregnant.", weeks=32)

    check = await ward.checked(draft, NO_ALLERGY, pregnant)

    assert check.verdict == "nothing_found", check


@pytest.mark.parametrize(
    ("draft", "verdict"),
    [
        ("Amlodipine 5 mg in the morning", "not_checkable"),
        ("Co-codamol 30/500, two tablets", "warning"),
        ("Ibuprofen 400 mg as needed", "conflict"),
        ("Labetalol 100 mg twice a day", "warning"),
        ("Book an X-ray of the pelvis", "warning"),
    ],
)
async def test_a_usual_choice_says_nothing_of_other_things_and_silences_no_rule(
    ward: Ward, draft: str, verdict: str
) -> None:
    pregnant = condition("pregnant", "I am 32 weeks pregnant.", weeks=32)

    check = await ward.checked(draft, NO_ALLERGY, pregnant)

    assert check.verdict == verdict, check
