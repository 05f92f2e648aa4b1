"""Drafts that take for granted what the record denies, calls ended or tells otherwise, in every domain."""

from collections.abc import AsyncIterator, Callable

import pytest

from r_memory import Memory, open_memory
from r_memory.config.settings import load_settings
from r_memory.domain.blocks import DraftCheck
from r_memory.facts.remember.results import Claim
from tests.acceptance.conftest import Installation

pytestmark = pytest.mark.anyio

Domains = Callable[[str], Memory]
_SCHEMAS = ("clinical", "personal", "law", "finance")


@pytest.fixture(scope="module")
async def domains(standing: Installation) -> AsyncIterator[Domains]:
    opened: dict[str, Memory] = {}
    entered = []
    for schema in _SCHEMAS:
        folder = str(standing.folder / f"granted-{schema}")
        installation = standing.with_settings(schema=schema, space="granted", data_dir=folder)
        context = open_memory(load_settings(installation.environment))
        opened[schema] = await context.__aenter__()
        entered.append(context)
    yield opened.__getitem__
    for context in entered:
        await context.__aexit__(None, None, None)


async def told(memory: Memory, who: str, *said: str) -> None:
    for words in said:
        await memory.remember(words, subject=who, subject_name=who)


async def noted(memory: Memory, who: str, words: str, relation: str, thing: str, **attrs: str) -> None:
    claim = Claim(relation=relation, object=thing, evidence=words, attrs=attrs)
    result = await memory.remember(words, subject=who, subject_name=who, claims=[claim])
    assert len(result.facts) == 1, result


def corrected(check: DraftCheck) -> list[str]:
    return [finding.message for finding in check.findings if finding.message.startswith("The record says otherwise")]


@pytest.mark.parametrize(
    ("schema", "said", "draft", "label"),
    [
        ("clinical", ["No diabetes."], "Given her diabetes, check HbA1c every three months.", "STATED ABSENT"),
        ("clinical", ["No diabetes."], "Given her type 2 diabetes, book the eye clinic.", "STATED ABSENT"),
        ("clinical", ["I don't take any warfarin."], "As she takes warfarin, check the INR.", "STATED ABSENT"),
        ("clinical", ["I don't take any warfarin."], "As she takes Coumadin, check the INR.", "STATED ABSENT"),
        ("clinical", ["I take ramipril.", "I stopped the ramipril."], "Continue her ramipril 5 mg.", "RESOLVED"),
        ("clinical", ["No known drug allergies."], "Given her penicillin allergy, doxycycline.", "STATED ABSENT"),
        ("finance", ["He no longer holds Nestle."], "As he holds Nestle, spread the risk.", "RESOLVED"),
        ("law", ["We are not bound by any undertaking."], "As we are bound by an undertaking, ask.", "STATED ABSENT"),
    ],
)
async def test_a_draft_that_takes_for_granted_what_is_recorded_as_absent_or_over_is_told_so(
    domains: Domains, schema: str, said: list[str], draft: str, label: str
) -> None:
    memory, who = domains(schema), f"Granted {draft[:24]}"
    await told(memory, who, *said)
    check = await memory.check_text(draft, subject=who)
    assert check.verdict == "warning"
    assert any(label in message for message in corrected(check))


async def test_a_draft_that_names_only_other_things_of_the_kind_is_not_read_by_itself(
    domains: Domains, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading takes longer than all else that a sentence of a stream is held against (issue 30)."""
    memory, read = domains("clinical"), list[str]()
    await told(memory, "Granted nothing", "No diabetes.", "I don't take any warfarin.", "I take ramipril.")

    def noting(text: str, _: object) -> tuple[()]:
        read.append(text)
        return ()

    monkeypatch.setattr(memory.facts.recalling._drafts, "_read_in", noting)
    await memory.check_text("Paracetamol 500 mg helps against the pain of the arthritis.", subject="Granted nothing")
    assert read == []
    await memory.check_text("As she takes warfarin, paracetamol helps.", subject="Granted nothing")
    assert len(read) == 1


@pytest.mark.parametrize(
    ("said", "draft"),
    [
        (["No diabetes."], "Screen for diabetes."),
        (["I don't take any warfarin."], "Warfarin 3 mg tonight."),
        (["I have no penicillin allergy."], "Penicillin V 500 mg."),
        (["She has asthma."], "Because of her asthma, a peak flow meter."),
    ],
)
async def test_a_draft_that_asks_orders_or_repeats_takes_nothing_for_granted(
    domains: Domains, said: list[str], draft: str
) -> None:
    memory, who = domains("clinical"), f"Ordered {draft[:24]}"
    await told(memory, who, *said)
    assert corrected(await memory.check_text(draft, subject=who)) == []


@pytest.mark.parametrize(
    ("schema", "words", "thing", "draft"),
    [
        ("personal", "I live at 16b Tamar Court.", "lives at 16b Tamar Court", "Send it to 18b Tamar Court."),
        (
            "clinical",
            "They live at Flat 4, Orchard House.",
            "lives at Flat 4, Orchard House",
            "Visit Flat 6, Orchard House.",
        ),
        (
            "personal",
            "The key is at Flat B, Elm Lodge.",
            "key is at Flat B, Elm Lodge",
            "Fetch it from Flat C, Elm Lodge.",
        ),
        (
            "law",
            "Counsel sits in room 14 at Temple Row.",
            "counsel in room 14 at Temple Row",
            "Go to room 16 at Temple Row.",
        ),
        ("finance", "His office is at 22 Mill Lane.", "office at 22 Mill Lane", "Post it to 27 Mill Lane."),
        ("personal", "The boiler man comes at 9:30.", "boiler man comes at 9:30", "The boiler man comes at 10:30."),
        (
            "finance",
            "The rent for the barn is 6,800 a year.",
            "rent for the barn is 6,800",
            "The rent for the barn is 6,900.",
        ),
    ],
)
async def test_a_draft_that_gives_a_noted_place_hour_or_sum_another_number_is_told_so(
    domains: Domains, schema: str, words: str, thing: str, draft: str
) -> None:
    memory, who = domains(schema), f"Numbered {draft[:24]}"
    await noted(memory, who, words, "HAS_NOTE", thing)
    assert len(corrected(await memory.check_text(draft, subject=who))) == 1
    assert corrected(await memory.check_text(words, subject=who)) == []


@pytest.mark.parametrize(
    ("words", "thing", "draft"),
    [
        ("I live at 16b Tamar Court.", "lives at 16b Tamar Court", "Be at 16b Tamar Court at 10."),
        ("The rent for the barn is 6,800 a year.", "rent for the barn is 6,800", "Pay 6 people for the barn."),
        ("The rent for the barn is 6,800 a year.", "rent for the barn is 6,800", "The rent for the barn is 6.8k."),
        ("The boiler man comes at 9:30.", "boiler man comes at 9:30", "The boiler man wants 80 for it."),
    ],
)
async def test_another_number_of_something_else_is_no_correction(
    domains: Domains, words: str, thing: str, draft: str
) -> None:
    memory, who = domains("personal"), f"Beside {draft[:24]}"
    await noted(memory, who, words, "HAS_NOTE", thing)
    assert corrected(await memory.check_text(draft, subject=who)) == []


async def test_a_day_is_compared_though_a_place_stands_between_it_and_the_thing(domains: Domains) -> None:
    memory = domains("law")
    await noted(memory, "Leeds", "The hearing is on 14 May.", "HAS_DATE", "hearing", date="14 May")
    assert len(corrected(await memory.check_text("The hearing in Leeds is on 16 May.", subject="Leeds"))) == 1
    assert corrected(await memory.check_text("The hearing in Leeds is on 14 May.", subject="Leeds")) == []


async def test_a_shared_sum_bears_on_the_request(domains: Domains) -> None:
    memory = domains("law")
    await noted(memory, "Sums", "He will not settle below 90,000.", "HAS_INSTRUCTION", "will not settle below 90,000")
    await noted(memory, "Sums", "The car cost 40,000.", "HAS_NOTE", "car cost 40,000")
    recall = await memory.build_context("What do we say to an offer of 90k?", subject="Sums")
    assert [line.fact.relation for line in recall.lines if line.matches] == ["HAS_INSTRUCTION"]
    check = await memory.check_text("Tell them that 90,000 would do.", subject="Sums")
    assert [finding.verdict for finding in check.findings if "90,000 is recorded with it" in finding.message] == [
        "warning"
    ]
