"""Drafts against what may be over: a birth, a device taken out, a deadline that was moved; an allergy never."""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.blocks import DraftCheck
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def clinical(standing: Installation) -> AsyncIterator[Memory]:
    folder = str(standing.folder / "passed-clinical")
    installation = standing.with_settings(schema="clinical", space="passed", data_dir=folder)
    async with open_memory(load_settings(installation.environment)) as memory:
        yield memory


@pytest.fixture(scope="module")
async def law(standing: Installation) -> AsyncIterator[Memory]:
    folder = str(standing.folder / "passed-law")
    installation = standing.with_settings(schema="law", space="passed", data_dir=folder)
    async with open_memory(load_settings(installation.environment)) as memory:
        yield memory


async def checked(memory: Memory, who: str, said: list[str], draft: str, speaker: str = "") -> DraftCheck:
    for words in said:
        await memory.remember(words, subject=who, subject_name=who, speaker=speaker)
    return await memory.check_text(draft, subject=who)


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        (["He has an insulin pump.", "The pump was taken out last week."], "MRI of the knee."),
        (["She is 34 weeks pregnant.", "She gave birth to a girl on Friday."], "Ibuprofen 400 mg tds."),
        (["I am pregnant.", "The baby was born on Sunday."], "Isotretinoin 20 mg."),
    ],
)
async def test_what_somebody_says_is_over_stands_against_a_draft_only_in_doubt(
    clinical: Memory, said: list[str], draft: str
) -> None:
    check = await checked(clinical, f"Over {draft[:12]}", said, draft)
    assert check.verdict == "warning"
    assert any("DISPUTED, against it" in finding.message for finding in check.findings)


@pytest.mark.parametrize(
    ("said", "draft", "speaker"),
    [
        (["I am allergic to penicillin.", "The penicillin allergy is over."], "Amoxicillin 500 mg.", ""),
        (["He has an insulin pump.", "The pump may be taken out next month."], "MRI of the knee.", ""),
        (["She is pregnant.", "Her sister gave birth on Friday, if I am right."], "Isotretinoin 20 mg.", ""),
        (["She is pregnant.", "She gave birth on Friday."], "Isotretinoin 20 mg.", "neighbour"),
    ],
)
async def test_an_allergy_a_plan_and_hearsay_leave_the_conflict(
    clinical: Memory, said: list[str], draft: str, speaker: str
) -> None:
    who = f"Not over {said[1][:24]}"
    await clinical.remember(said[0], subject=who, subject_name=who)
    assert (await checked(clinical, who, said[1:], draft, speaker)).verdict == "conflict"


@pytest.mark.parametrize(
    "moved",
    [
        "By consent the defence is now due on 17 June.",
        "The other side agreed that the defence deadline was moved to 17 June.",
    ],
)
async def test_a_draft_for_the_day_to_which_a_deadline_was_moved_is_no_conflict(law: Memory, moved: str) -> None:
    who = f"Moved {moved[:12]}"
    check = await checked(law, who, ["The defence is due on 3 June.", moved], "File the defence by 17 June.")
    assert check.verdict == "warning"
    late = await law.check_text("File the defence on 30 June.", subject=who)
    assert late.verdict == "conflict"
