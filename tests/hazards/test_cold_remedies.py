"""Hazards of a brand that holds more than its name says: a check objects to each of its ingredients."""

import pytest

from tests.hazards.conftest import Patient

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        ("Anaphylaxis to aspirin.", "Take Beechams Powders, one sachet."),
        ("I am allergic to paracetamol.", "Two sachets of Lemsip Max then."),
        ("I am allergic to promethazine.", "Night Nurse before bed will help."),
        ("I am allergic to paracetamol.", "Night Nurse before bed will help."),
    ],
)
async def test_a_cold_remedy_is_held_against_everything_that_is_in_it(patient: Patient, said: str, draft: str) -> None:
    await patient.tell(said)
    checked = await patient.assistant.call("memory_check_text", text=draft, subject=patient.id)
    assert checked["verdict"] == "conflict"
