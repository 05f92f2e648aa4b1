"""Hazards of reassurance: a verdict and a block are never calmer than the memory."""

import pytest

from tests.acceptance.conftest import Assistant
from tests.hazards.conftest import Patient, somebody

pytestmark = pytest.mark.anyio


async def check(patient: Patient, draft: str) -> tuple[str, str]:
    """The verdict on a draft, and what could not be compared."""
    checked = await patient.assistant.call("memory_check_text", text=draft, subject=patient.id)
    return checked["verdict"], "\n".join(checked.get("gaps", ()))


@pytest.mark.proves("Z14", "Z39")
async def test_of_somebody_of_whom_nothing_is_recorded_a_draft_cannot_be_checked(patient: Patient) -> None:
    await patient.tell("Hello.")
    assert await check(patient, "Take paracetamol 500 mg.") == (
        "not_checkable",
        f"Nothing is on record about {patient.name}: nothing was ever asked.",
    )


@pytest.mark.proves("Z14", "Z39")
async def test_nothing_found_needs_an_answer_about_the_very_kind_of_thing(patient: Patient) -> None:
    await patient.tell("I take lisinopril.")
    assert await check(patient, "Take paracetamol 500 mg.") == ("not_checkable", "HAS_ALLERGY_TO was never asked.")
    await patient.tell("No food allergies.")
    assert await check(patient, "Take paracetamol 500 mg.") == (
        "not_checkable",
        "HAS_ALLERGY_TO was asked of foods only.",
    )
    await patient.tell("No known drug allergies.")
    assert await check(patient, "Take paracetamol 500 mg.") == ("nothing_found", "")


@pytest.mark.proves("Z41", "Z42")
async def test_an_unread_statement_that_names_what_is_ordered_is_loud_and_forbids_nothing_found(
    clinic: Assistant,
) -> None:
    patient = somebody(clinic)
    await patient.tell("I am allergic to latex.")
    await patient.tell("Soy alérgica a la carbamazepina.", speaker="patient")
    block = (await patient.context("Start carbamazepine 200 mg."))["block"]
    assert 'NOT YET READ, and it names Carbamazepine: "Soy alérgica a la carbamazepina." (verbatim, by patient' in block
    verdict, gaps = await check(patient, "Start carbamazepine 200 mg.")
    assert (verdict, "and it names Carbamazepine" in gaps) == ("not_checkable", True)
    verdict, gaps = await check(patient, "Start oxcarbazepine 300 mg.")
    assert (verdict, "and it may mean Oxcarbazepine" in gaps) == ("not_checkable", True)
    verdict, gaps = await check(patient, "Take paracetamol 500 mg.")
    assert (verdict, gaps.startswith("NOT YET READ (")) == ("not_checkable", True)
