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


@pytest.fixture(scope="module")
async def clinical(standing: Installation) -> AsyncIterator[Memory]:
    async with opened(standing, "clinical") as memory:
        yield memory


@pytest.fixture(scope="module")
async def finance(standing: Installation) -> AsyncIterator[Memory]:
    async with opened(standing, "finance") as memory:
        yield memory


def read(relation: str, object_: str, evidence: str, status: str = "active", **attrs: str | float) -> Claim:
    return Claim(relation=relation, object=object_, evidence=evidence, status=status, attrs=attrs)


async def tell(memory: Memory, who: str, text: str, *claims: Claim) -> None:
    told = await memory.remember(text, subject=who, subject_name=who, claims=claims)
    assert len(told.facts) == len(claims), told


def messages(check: DraftCheck) -> str:
    return "\n".join(finding.message for finding in check.findings)


@pytest.mark.parametrize(
    ("said", "object_", "attrs", "draft", "verdict"),
    [
        (
            "Yarn, never bower.",
            "Yarn, never bower",
            {"over": "bower"},
            "Run bower update in the shop.",
            "conflict",
        ),
        (
            "Never rebase the release branch.",
            "Never rebase the release branch",
            {},
            "git rebase --onto release topic",
            "conflict",
        ),
        (
            "No migrations on the live database.",
            "No migrations",
            {"for": "live database"},
            "Clean up the database tonight.",
            "warning",
        ),
        ("No releasing from laptops.", "No releasing from laptops", {}, "I released it from my laptop.", "conflict"),
    ],
    ids=["what-it-is-not", "command", "for-what", "other-ending"],
)
async def test_a_draft_that_names_what_a_standing_instruction_is_about_is_shown_the_instruction(
    personal: Memory,
    said: str,
    object_: str,
    attrs: dict[str, str],
    draft: str,
    verdict: str,
    request: pytest.FixtureRequest,
) -> None:
    who = f"I-{request.node.callspec.id}"
    await tell(personal, who, said, read("INSTRUCTS", object_, said.rstrip("."), **attrs))

    check = await personal.check_text(draft, subject=who)
    other = await personal.check_text("Water the ferns twice.", subject=who)

    assert check.verdict == verdict
    assert "INSTRUCTION" in messages(check)
    assert ("forbid this" if verdict == "conflict" else "bears on this draft") in messages(check)
    assert not other.findings


@pytest.mark.parametrize("span", ["2027-03-05 to 2027-03-19", "2027-03-05 until 2027-03-19"])
async def test_a_day_within_a_noted_span_shows_the_span(personal: Memory, span: str) -> None:
    who = f"S-{span.split()[1]}"
    await tell(personal, who, f"Stocktaking {span}.", read("HAS_DATE", "Stocktaking", f"Stocktaking {span}", date=span))

    check = await personal.check_text("Ship the pallets on 11 March 2027.", subject=who)

    assert check.verdict == "warning"
    assert "within 2027-03-05 to 2027-03-19" in messages(check)


@pytest.mark.parametrize(
    "query",
    [
        "How is her blood pressure, and what is she taking?",
        "Which side room is free, and what is she currently on?",
    ],
)
async def test_a_request_that_also_asks_what_somebody_takes_shows_the_medicines(clinical: Memory, query: str) -> None:
    await tell(clinical, "M1", "She takes nebivolol.", read("TAKES", "nebivolol", "She takes nebivolol"))
    recall = await clinical.build_context(query, subject="M1")
    assert "TAKES" in {line.fact.relation for line in recall.lines}


async def test_a_question_whether_somebody_is_vaccinated_shows_the_vaccination(clinical: Memory) -> None:
    text = "She had her tetanus booster."
    await tell(clinical, "M2", text, read("HAD_PROCEDURE", "tetanus booster", "had her tetanus booster"))
    recall = await clinical.build_context("Is she vaccinated?", subject="M2")
    assert "HAD_PROCEDURE" in {line.fact.relation for line in recall.lines}


async def test_a_party_that_the_draft_names_whole_is_a_conflict(finance: Memory) -> None:
    words = "She must not trade Thornacre plc"
    await tell(finance, "P-whole", f"{words}.", read("RESTRICTED_FROM", "Thornacre plc", words))
    check = await finance.check_text("Buy 900 Thornacre plc shares for her account.", subject="P-whole")
    assert check.verdict == "conflict"


async def test_a_part_of_an_unknown_firms_name_is_no_certain_match(finance: Memory) -> None:
    words = "She must not hold gaming shares"
    await tell(finance, "P-part", f"{words}.", read("RESTRICTED_FROM", "gaming shares", words, means="Gaming"))
    check = await finance.check_text("Buy 900 Thornacre Gaming plc shares for her account.", subject="P-part")
    assert check.verdict != "conflict"


@pytest.mark.parametrize(
    ("party", "said"),
    [("Marbrook plc", "Marbrook"), ("Quillfen Group Ltd", "Quillfen"), ("Osterlund & Co.", "Osterlund")],
)
async def test_a_party_is_met_by_its_name_without_the_legal_form(finance: Memory, party: str, said: str) -> None:
    who = f"P-{said}"
    words = f"She must not trade {party}"
    await tell(finance, who, f"{words}.", read("RESTRICTED_FROM", party, words))

    check = await finance.check_text(f"Sell 3,000 {said} on 4 December.", subject=who)
    context = await finance.build_context(f"Can I sell {said} for her?", subject=who)

    assert party.rstrip(".") in messages(check)
    assert not [gap for gap in check.gaps if gap.startswith(f"NOT RECOGNISED: {said};")]
    assert context.lines[0].matches
    assert said not in context.unrecognised


@pytest.mark.parametrize(
    ("draft", "told", "verdict"),
    [
        ("She is on nebivolol 5 mg daily.", "Nebivolol 2.5 mg", "warning"),
        ("Her eGFR was 55 last week.", "eGFR 38", "warning"),
        ("She has no known drug allergies.", "allergic to Penicillin", "conflict"),
        ("She takes nebivolol 2.5 mg daily; eGFR 38.", "", "nothing_found"),
    ],
    ids=["dose", "value", "denied-risk", "as-recorded"],
)
async def test_what_a_draft_states_otherwise_than_the_record_is_a_finding(
    clinical: Memory, draft: str, told: str, verdict: str
) -> None:
    await tell(
        clinical, "V1", "She takes nebivolol 2.5 mg.", read("TAKES", "nebivolol", "nebivolol 2.5 mg", dose="2.5 mg")
    )
    await tell(clinical, "V1", "Her eGFR is 38.", read("HAS_MEASUREMENT", "eGFR", "eGFR is 38", value=38))
    await tell(
        clinical, "V1", "She is allergic to penicillin.", read("HAS_ALLERGY_TO", "penicillin", "allergic to penicillin")
    )

    check = await clinical.check_text(draft, subject="V1")

    assert check.verdict == verdict
    assert told in messages(check)
    assert ("The record says otherwise" in messages(check)) == bool(told)


@pytest.mark.parametrize("who", ["alcohol", "meant", "teetotal"])
@pytest.mark.parametrize(
    ("draft", "meets"),
    [
        ("Champagne for the toast.", True),
        ("Start the evening by downing a pint.", True),
        ("A round of lager, then sherry trifle.", True),
        ("Two negronis, please: one negroni each.", True),
        ("A Guinness after the walk.", True),
        ("Buy a pint of milk and a loaf.", False),
        ("Water the ferns twice.", False),
    ],
)
async def test_a_drink_that_holds_alcohol_meets_whoever_has_none(
    personal: Memory, who: str, draft: str, meets: bool
) -> None:
    said = {
        "alcohol": Claim(relation="AVOIDS", object="alcohol", evidence="I never touch alcohol"),
        "meant": Claim(relation="AVOIDS", object="the drink", evidence="I am off the drink", means="alcohol"),
        "teetotal": Claim(relation="KEEPS_DIET", object="teetotal", evidence="I am teetotal"),
    }[who]
    person = f"{who}-{draft[:12]}"
    await tell(personal, person, f"{said.evidence}.", said)

    check = await personal.check_text(draft, subject=person)

    assert (check.verdict == "conflict") == meets, check
    assert not [gap for gap in check.gaps if "Alcohol" in gap or "Drink" in gap]
