"""An absence is stored only from a statement of a person in the conversation, in words of its own (Z22)."""

import pytest

from tests.hazards.conftest import Patient, cases
from tests.hazards.strangers import OWN, STRANGERS

pytestmark = pytest.mark.anyio
_AGAINST = {"negated", "refuted", "resolved"}
_OUR_SECTIONS = ("[CONVERSATION SUMMARY]", "[RELEVANT MEMORY]", "[PREVIOUS TURN]")
"""Words that stood in our own sections were shown, not said: nobody has to look at them again."""


@pytest.mark.proves("Z22")
@cases("how", STRANGERS)
async def test_z22_nobody_elses_words_take_a_risk_away_and_they_wait_for_a_person(patient: Patient, how: str) -> None:
    stored, silent = [], []
    for words in STRANGERS[how]:
        told = await patient.tell(words, dry_run=True)
        stored += [words for result in told if result.get("status") in _AGAINST]
        waits = any(result["verdict"] == "waits" for result in told)
        silent += [] if waits or words.startswith(_OUR_SECTIONS) else [words]
    assert (stored, silent) == ([], [])


@pytest.mark.proves("Z22")
@cases("words", OWN)
async def test_z22_what_a_person_says_plainly_is_stored_as_an_absence(patient: Patient, words: str) -> None:
    told = await patient.tell(words)
    assert ("stored", "negated") in {(result["verdict"], result.get("status")) for result in told}


@pytest.mark.proves("Z22")
async def test_z22_a_document_takes_no_risk_away(patient: Patient) -> None:
    told = await patient.tell("No known drug allergies.", role="document")
    assert [result["verdict"] for result in told] == ["waits"]
