"""Drafts against words that wait unread: a rule that they would meet is shown with them, as a warning."""

from collections.abc import AsyncIterator

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.facts.recall.rendering import render
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio

_UNREAD = "MAY CONFLICT, said but not yet read"


@pytest.fixture(scope="module")
async def clinical(standing: Installation) -> AsyncIterator[Memory]:
    folder = str(standing.folder / "drafts-unread")
    installation = standing.with_settings(schema="clinical", space="drafts-unread", data_dir=folder)
    async with open_memory(load_settings(installation.environment)) as memory:
        yield memory


@pytest.mark.parametrize(
    ("said", "draft", "rule"),
    [
        ("She keeps a blister of clarithromycin in her handbag.", "Simvastatin 40 mg at night.", "Clarithromycin"),
        ("They mumbled something about asthma at the desk.", "Start propranolol 40 mg.", "Asthma"),
        ("There's a strip of methotrexate in the drawer, who knows whose.", "Trimethoprim 200 mg.", "Methotrexate"),
        ("Her test had two lines this morning.", "Isotretinoin 20 mg a day.", "Pregnancy"),
    ],
)
async def test_a_rule_that_waiting_words_would_meet_is_a_warning_with_these_words(
    clinical: Memory, said: str, draft: str, rule: str
) -> None:
    who = f"Unread {rule}"
    told = await clinical.remember(said, subject=who, subject_name=who)
    assert not told.facts
    check = await clinical.check_text(draft, subject=who)
    found = [finding for finding in check.findings if finding.message.startswith(_UNREAD)]
    assert check.verdict == "warning"
    assert [(finding.verdict, rule in finding.message, said in finding.said) for finding in found] == [
        ("warning", True, True)
    ]
    # Whoever asks for the order is shown the words as well.
    block = render(await clinical.build_context(draft, subject=who))
    assert "NOT YET READ, may bear on" in block
    assert said in block


async def test_what_is_recorded_as_well_is_told_once_and_for_certain(clinical: Memory) -> None:
    who = "Unread and read"
    await clinical.remember("She keeps a blister of clarithromycin in her handbag.", subject=who, subject_name=who)
    await clinical.remember("She takes clarithromycin.", subject=who)
    check = await clinical.check_text("Simvastatin 40 mg at night.", subject=who)
    assert [finding.verdict for finding in check.findings if "Clarithromycin" in finding.message] == ["conflict"]


async def test_waiting_words_that_meet_no_rule_are_only_named(clinical: Memory) -> None:
    who = "Unread beside"
    await clinical.remember("She keeps a blister of clarithromycin in her handbag.", subject=who, subject_name=who)
    check = await clinical.check_text("Paracetamol 500 mg twice a day.", subject=who)
    assert not check.findings
    assert any("clarithromycin" in gap for gap in check.gaps)
