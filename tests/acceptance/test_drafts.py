"""Drafts against the record: what stands against the words of a draft is found, however the draft puts it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.blocks import DraftCheck
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(standing: Installation, schema: str) -> AsyncIterator[Memory]:
    folder = str(standing.folder / f"drafts-{schema}")
    installation = standing.with_settings(schema=schema, space="drafts", data_dir=folder)
    async with open_memory(load_settings(installation.environment)) as memory:
        yield memory


@pytest.fixture(scope="module")
async def personal(standing: Installation) -> AsyncIterator[Memory]:
    async with opened(standing, "personal") as memory:
        yield memory


def read(relation: str, object_: str, evidence: str, status: str = "active", **attrs: object) -> Claim:
    return Claim(relation=relation, object=object_, evidence=evidence, status=status, attrs=attrs)


async def tell(memory: Memory, who: str, text: str, *claims: Claim) -> None:
    told = await memory.remember(text, subject=who, subject_name=who, claims=claims)
    assert len(told.facts) == len(claims), told


def messages(check: DraftCheck) -> str:
    return "\n".join(finding.message for finding in check.findings)


@pytest.mark.parametrize(
    ("said", "object_", "attrs", "draft"),
    [
        ("Yarn, never bower.", "Yarn, never bower", {"over": "bower"}, "Run bower update in the shop folder."),
        ("Never rebase the release branch.", "Never rebase the release branch", {}, "git rebase --onto release topic"),
        (
            "No migrations on the live database.",
            "No migrations",
            {"for": "live database"},
            "Clean up the database tonight.",
        ),
        ("No releasing from laptops.", "No releasing from laptops", {}, "I released it from my laptop."),
    ],
    ids=["what-it-is-not", "command", "for-what", "other-ending"],
)
async def test_a_draft_that_names_what_a_standing_instruction_is_about_is_shown_the_instruction(
    personal: Memory, said: str, object_: str, attrs: dict[str, str], draft: str, request: pytest.FixtureRequest
) -> None:
    who = f"I-{request.node.callspec.id}"
    await tell(personal, who, said, read("INSTRUCTS", object_, said.rstrip("."), **attrs))

    check = await personal.check_text(draft, subject=who)
    other = await personal.check_text("Water the ferns twice.", subject=who)

    assert check.verdict == "warning"
    assert "INSTRUCTION" in messages(check)
    assert "bears on this draft" in messages(check)
    assert not other.findings


@pytest.mark.parametrize("span", ["2027-03-05 to 2027-03-19", "2027-03-05 until 2027-03-19"])
async def test_a_day_within_a_noted_span_shows_the_span(personal: Memory, span: str) -> None:
    who = f"S-{span.split()[1]}"
    await tell(personal, who, f"Stocktaking {span}.", read("HAS_DATE", "Stocktaking", f"Stocktaking {span}", date=span))

    check = await personal.check_text("Ship the pallets on 11 March 2027.", subject=who)

    assert check.verdict == "warning"
    assert "within 2027-03-05 to 2027-03-19" in messages(check)
