"""What a later voice corrects stands behind it, and what was tolerated is none beside a later reaction.

Issue "In a model's hands", point 5: another voice's correction of a measurement is never a second, equal line.
"""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.facts.recall.rendering import render
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio
TOLERATED = "Tolerated without a reaction"


@pytest.fixture(scope="module")
async def ward(standing: Installation) -> AsyncIterator[Memory]:
    one = standing.with_settings(schema="clinical", space="later", data_dir=str(standing.folder / "later"))
    async with open_memory(load_settings(one.environment)) as opened:
        yield opened


async def tells(memory: Memory, who: str, text: str, claim: Claim, speaker: str) -> None:
    await memory.remember(text, subject=who, subject_name=f"Patient {who}", claims=[claim], speaker=speaker)


async def block(memory: Memory, who: str, query: str) -> list[str]:
    return render(await memory.build_context(query, subject=who), with_query=False).splitlines()


RESULTS = (
    ("weight", "Weight 71 kg.", 71.0, "kg", "No, it was 61.", 61.0, "What dose of enoxaparin?"),
    ("potassium", "Potassium 6.1 on the slip.", 6.1, "", "The slip was misread, potassium is 4.1.", 4.1, "Any labs?"),
)


@pytest.mark.parametrize(
    ("thing", "told", "old", "unit", "said", "new", "query"), RESULTS, ids=[row[0] for row in RESULTS]
)
async def test_a_result_that_another_voice_corrects_stands_in_one_line_behind_the_new_one(
    ward: Memory, thing: str, told: str, old: float, unit: str, said: str, new: float, query: str
) -> None:
    units = {"unit": unit} if unit else {}
    first = Claim(relation="HAS_MEASUREMENT", object=thing, evidence=told[:-1], attrs={"value": old, **units})
    await tells(ward, thing, told, first, "nurse")
    second = Claim(
        relation="HAS_MEASUREMENT", object=thing, evidence=said[:-1], attrs={"value": new, **units}, corrects=thing
    )
    await tells(ward, thing, said, second, "doctor")

    lines = [line for line in await block(ward, thing, query) if "Measured" in line]

    assert len(lines) == 2
    assert f"{new:g}" in lines[0]
    assert not lines[0].startswith("DISPUTED")
    assert lines[1].startswith("DISPUTED: ")
    assert f"{old:g}" in lines[1]
    assert "by nurse" in lines[1]
    assert "CORRECTED 20" in lines[1]


@pytest.mark.parametrize("speaker", ["user", "doctor"])
async def test_what_was_tolerated_is_disputed_beside_a_later_reaction(ward: Memory, speaker: str) -> None:
    who = f"reaction {speaker}"
    fine = Claim(relation="TOLERATES", object="doxycycline", evidence="Doxycycline was fine")
    await tells(ward, who, "Doxycycline was fine.", fine, "user")
    said = "Doxycycline gave hives last week."
    await tells(ward, who, said, Claim(relation="HAS_ALLERGY_TO", object="doxycycline", evidence=said[:-1]), speaker)

    lines = [line for line in await block(ward, who, "Prescribe doxycycline.") if TOLERATED in line]

    assert lines
    assert all(line.startswith("DISPUTED: ") for line in lines)


async def test_what_somebody_else_says_is_not_tolerated_is_no_plain_tolerance(ward: Memory) -> None:
    fine = Claim(relation="TOLERATES", object="tramadol", evidence="He tolerates tramadol")
    await tells(ward, "refuted", "He tolerates tramadol.", fine, "wife")
    said = "He does not tolerate tramadol at all."
    against = Claim(relation="TOLERATES", object="tramadol", evidence=said[:-1], status="refuted")
    await tells(ward, "refuted", said, against, "doctor")

    lines = [line for line in await block(ward, "refuted", "Prescribe tramadol.") if TOLERATED in line]

    assert all(line.startswith("DISPUTED: ") for line in lines)


async def test_a_member_that_was_tolerated_after_the_reaction_stands_as_it_is(ward: Memory) -> None:
    allergic = Claim(relation="HAS_ALLERGY_TO", object="penicillin", evidence="Allergic to penicillin")
    await tells(ward, "member", "Allergic to penicillin.", allergic, "user")
    fine = Claim(relation="TOLERATES", object="cefuroxime", evidence="Cefuroxime was fine")
    await tells(ward, "member", "Cefuroxime was fine.", fine, "user")

    text = "\n".join(await block(ward, "member", "Prescribe cefuroxime."))

    assert TOLERATED in text
    assert f"DISPUTED: {TOLERATED}" not in text
