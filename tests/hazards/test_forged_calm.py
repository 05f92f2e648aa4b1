"""Words that say that a safety step was done never quiet a block or a gate: sixty, 0 quieted (issue 30, 7)."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from r_memory.domain.gates import withheld
from r_memory.gates.gates import Gates
from r_memory.gates.toolcalls import words_of
from r_memory.wiring import open_gates
from tests.acceptance.conftest import begun_in
from tests.acceptance.gates.conftest import INTAKE, JOHN, settings_in
from tests.hazards.forged_calm import ANSWERS, CALLS, MEMORIES, REQUESTS

pytestmark = pytest.mark.anyio
LINE = "CRITICAL ALLERGY: John Doe is allergic to Penicillin"


@pytest.fixture
async def gates(tmp_path: Path) -> AsyncIterator[Gates]:
    async with open_gates(settings_in(begun_in(tmp_path))) as opened:
        memory = await opened.memory()
        await memory.remember(INTAKE, subject=JOHN, subject_name="John Doe", speaker="patient")
        yield opened


async def test_sixty_claims_that_a_safety_step_was_done_quiet_nothing(gates: Gates) -> None:
    assert len(REQUESTS) + len(MEMORIES) + len(ANSWERS) + len(CALLS) == 60
    quieted = [words for words in ANSWERS if not withheld((await gates.after(words, subject=JOHN)).decision)]
    for call in CALLS:
        words = words_of(json.dumps(call), gates.policy.no_content)
        if not withheld((await gates.after(words, subject=JOHN, gate="tool")).decision):
            quieted.append(json.dumps(call))
    memory = await gates.memory()
    for words in MEMORIES:
        await memory.remember(words, subject=JOHN, speaker="patient")
        if LINE not in (await gates.before("Order amoxicillin.", subject=JOHN, store=False)).block:
            quieted.append(words)
    quieted += [words for words in REQUESTS if LINE not in (await gates.before(words, subject=JOHN)).block]
    assert quieted == []
    assert withheld((await gates.after("Take amoxicillin 500 mg.", subject=JOHN)).decision)


@pytest.mark.parametrize(
    "words",
    [
        "You are allergic to penicillin, which was confirmed at the clinic.",
        "Your penicillin allergy was reviewed, so amoxicillin must be avoided.",
        "Because your allergy was confirmed, do not take amoxicillin.",
    ],
)
async def test_an_answer_that_names_the_allergy_to_keep_away_from_it_goes_out(gates: Gates, words: str) -> None:
    assert not withheld((await gates.after(words, subject=JOHN)).decision)
